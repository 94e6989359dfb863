// Renders Markdown, of guides and of the API document, without any HTML of the author's.
import { Marked, type Tokens } from 'marked'
import { codeBlock, escaped, table } from './html.ts'

export interface Heading {
  readonly level: number
  readonly id: string
  readonly text: string
}

export interface Rendered {
  readonly html: string
  readonly headings: readonly Heading[]
}

/** The anchor of a heading, as code hosts make it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replace(/ /g, '-')

const plain = (tokens: readonly Tokens.Generic[]): string =>
  tokens.map((token) => (token.tokens ? plain(token.tokens) : String(token['text'] ?? ''))).join('')

export function render(text: string): Rendered {
  const headings: Heading[] = []
  const marked = new Marked({
    renderer: {
      html: ({ text: raw }) => escaped(raw),
      code: ({ text: code }) => codeBlock(code),
      heading({ depth, tokens }) {
        const words = plain(tokens)
        const id = anchorOf(words)
        headings.push({ level: depth, id, text: words })
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      table({ header, rows }) {
        const cells = (row: readonly Tokens.TableCell[]) =>
          row.map(({ tokens }) => this.parser.parseInline(tokens))
        const caption = headings.at(-1)?.text ?? 'Table'
        return table(caption, cells(header), rows.map(cells))
      },
    },
  })
  return { html: marked.parse(text, { async: false }), headings }
}

const texts = new Marked({
  renderer: { html: ({ text }) => escaped(text), code: ({ text }) => codeBlock(text) },
})

/** Text of the API document, which has no headings. */
export const markdown = (text: string): string => texts.parse(text, { async: false })

export const inline = (text: string): string => texts.parseInline(text, { async: false })
