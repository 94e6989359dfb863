import * as v from 'valibot'
import { TemplateBody, type TemplateRecord } from './template-record.ts'

type Seed = Readonly<{ body: unknown; status?: string }>

const body = (text: string, examples: Record<string, unknown> = {}) => ({
  type: 'BODY',
  text,
  ...(Object.keys(examples).length === 0 ? {} : { example: examples }),
})

const named = (values: Record<string, string>) => ({
  body_text_named_params: Object.entries(values).map(([name, example]) => ({ param_name: name, example })),
})

const orderReady = (language: string, text: string) => ({
  name: 'order_ready',
  language,
  category: 'UTILITY',
  parameter_format: 'NAMED',
  components: [
    {
      type: 'HEADER',
      format: 'TEXT',
      text: '{{store}}',
      example: { header_text_named_params: [{ param_name: 'store', example: 'North Dock' }] },
    },
    body(text, named({ first_name: 'Ines', order_number: 'A-4471' })),
    { type: 'FOOTER', text: 'North Dock' },
  ],
})

const simple = (name: string, category: string, text: string) => ({
  name,
  language: 'en_US',
  category,
  components: [body(text)],
})

const SEEDS: readonly Seed[] = [
  { body: simple('hello_world', 'UTILITY', 'Welcome. This message was sent through Switchboard.') },
  { body: orderReady('en_US', 'Hi {{first_name}}, order {{order_number}} is ready.') },
  { body: orderReady('pt_PT', 'Olá {{first_name}}, a encomenda {{order_number}} está pronta.') },
  {
    body: {
      name: 'appointment_reminder',
      language: 'en_US',
      category: 'UTILITY',
      components: [
        body('Your appointment is on {{1}} at {{2}}. See you then.', { body_text: [['Tuesday', '10:30']] }),
        {
          type: 'BUTTONS',
          buttons: [
            { type: 'QUICK_REPLY', text: 'Keep' },
            { type: 'URL', text: 'Change', url: 'https://shop.example/a/{{1}}', example: ['7'] },
          ],
        },
      ],
    },
  },
  {
    body: {
      name: 'spring_sale',
      language: 'en_US',
      category: 'MARKETING',
      parameter_format: 'NAMED',
      components: [
        body(
          '{{first_name}}, everything is {{discount}} off until Sunday.',
          named({ first_name: 'Ines', discount: '20 %' }),
        ),
        { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Stop promotions' }] },
      ],
    },
  },
  {
    body: {
      name: 'invoice',
      language: 'en_US',
      category: 'UTILITY',
      components: [
        { type: 'HEADER', format: 'DOCUMENT' },
        body('Your invoice {{1}} is attached.', { body_text: [['7']] }),
      ],
    },
  },
  {
    body: {
      name: 'call_permission',
      language: 'en_US',
      category: 'UTILITY',
      components: [body('May we call you about your order?'), { type: 'CALL_PERMISSION_REQUEST' }],
    },
  },
  {
    body: simple('waiting_for_review', 'UTILITY', 'This template is still being reviewed.'),
    status: 'PENDING',
  },
  { body: simple('refused', 'MARKETING', 'This template was refused.'), status: 'REJECTED' },
  { body: simple('paused_offer', 'MARKETING', 'This template is paused for low quality.'), status: 'PAUSED' },
]

const FIRST_ID = 1_689_556_908_129_800

/** The templates of the `SIM_TEMPLATES` file: a list of `{...template, status?}`. Default: demo templates. */
export function templateRecords(file: unknown): TemplateRecord[] {
  const seeds = file === undefined ? SEEDS : asSeeds(file)
  return seeds.map((seed, index) => ({
    ...v.parse(TemplateBody, seed.body),
    id: String(FIRST_ID + index),
    status: seed.status ?? 'APPROVED',
    rejected_reason: seed.status === 'REJECTED' ? 'INVALID_FORMAT' : 'NONE',
    quality_score: { score: 'GREEN', date: 1_760_000_000 },
  }))
}

const FileShape = v.array(v.looseObject({ status: v.optional(v.string()) }))

const asSeeds = (file: unknown): Seed[] =>
  v
    .parse(FileShape, file)
    .map(({ status, ...rest }) => (status === undefined ? { body: rest } : { body: rest, status }))
