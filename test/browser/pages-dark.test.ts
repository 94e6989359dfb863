import { judgeEveryPage } from './every-page.ts'

// What a theme can break, and nothing that is judged in the light one.
judgeEveryPage({ name: 'dark', options: { theme: 'dark' }, rules: ['color-contrast'] })
