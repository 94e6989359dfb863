import { judgeEveryPage } from './every-page.ts'

judgeEveryPage({
  name: 'narrow',
  options: { isNarrow: true },
  rules: ['target-size', 'scrollable-region-focusable'],
})
