// Bundles the console's front end into files. `npm run build` writes them, and a gateway that runs from
// source builds them in memory, so both serve the same.
import { fileURLToPath } from 'node:url'
import { type Bundle, bundleSite } from '../../web/bundle.ts'

const console = {
  folder: fileURLToPath(new URL('../web/', import.meta.url)),
  base: '/console/assets/',
  modules: ['main.tsx'],
  others: ['theme-boot.ts', 'styles/index.css'],
}

export const bundleConsole = (options: { readonly thorough: boolean }): Promise<Bundle> =>
  bundleSite(console, options)
