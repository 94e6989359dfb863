import { judgeEveryPage } from './every-page.ts'

judgeEveryPage({ name: 'light', options: {} })
