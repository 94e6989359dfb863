import { judgePages } from './every-page.ts'

judgePages('lists')
