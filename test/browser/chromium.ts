// Finds a Chromium to drive: an installed one, or Debian's package.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { firstWorking } from '../../src/dev/embedded/candidates.ts'
import { installDebian } from '../support/debian-install.ts'
import { PATIENCE_MS } from '../support/patience.ts'

const run = promisify(execFile)
const shells = ['chromium-headless-shell', 'chrome-headless-shell']
const installed = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const onMac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'

/**
 * Returns the program to run; a shell without windows before a whole browser, because it takes two thirds of the CPU.
 * Throws with what to install: without a browser, these tests prove nothing.
 */
export const findChromium = (): Promise<string> =>
  firstWorking({
    what: 'a browser for the tests of the console',
    candidates: [
      ...[process.env['CHROMIUM_BIN'] ?? '', ...shells].filter(Boolean).map(candidate),
      { name: 'Debian package, as root', find: install },
      ...[...installed, onMac].map(candidate),
    ],
    remedy:
      'apt-get install chromium-headless-shell, or set CHROMIUM_BIN to a Chrome or Chromium of version 123 or later',
  })

const candidate = (name: string) => ({ name, find: () => proved(name) })

async function proved(bin: string): Promise<string> {
  await run(bin, ['--version'], { timeout: PATIENCE_MS })
  const { stdout } = bin.includes('/') ? { stdout: bin } : await run('which', [bin])
  return stdout.trim()
}

/** Chromium's libraries and helpers expect their usual paths, so unpacking the package is not enough. */
async function install(): Promise<string> {
  await installDebian('chromium-headless-shell')
  return proved('chromium-headless-shell')
}
