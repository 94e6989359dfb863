import { signal } from '@preact/signals'
import { applyTheme, storedTheme, storeTheme, type Theme } from '../core/stored-theme.ts'

export const theme = signal<Theme>(storedTheme())

export function chooseTheme(next: Theme): void {
  theme.value = next
  applyTheme(next)
  storeTheme(next)
}
