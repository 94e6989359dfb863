// Runs before the first paint, so that a chosen theme never flashes in the other one.
import { applyTheme, storedTheme } from './foundation/stored-theme.ts'

applyTheme(storedTheme())
