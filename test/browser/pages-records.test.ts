import { judgePages } from './every-page.ts'

judgePages('records')
