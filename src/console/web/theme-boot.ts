// Applies the chosen theme before the first paint, so that the other theme never flashes.
import { applyTheme, storedTheme } from './core/stored-theme.ts'

applyTheme(storedTheme())
