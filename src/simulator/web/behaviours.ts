// The number endings with a fixed behaviour, as the simulator's README lists them.

export interface Behaviour {
  readonly ending: string
  readonly says: string
}

export const groups: readonly { readonly title: string; readonly behaviours: readonly Behaviour[] }[] = [
  {
    title: 'You decide',
    behaviours: [
      { ending: '0101', says: 'Delivered; the rest is up to you' },
      { ending: '0102', says: 'The same, for a second one' },
    ],
  },
  {
    title: 'Messages',
    behaviours: [
      { ending: '0001', says: 'Sent, delivered, read within 2 s' },
      { ending: '0002', says: 'Delivered, never read' },
      { ending: '0003', says: 'Fails with 131026' },
      { ending: '0004', says: 'Fails with 131049' },
      { ending: '0005', says: 'Refused with 130429 three times, then taken' },
      { ending: '0006', says: 'Always refused with 131056' },
      { ending: '0007', says: 'Accepted, then silence' },
      { ending: '0008', says: 'Statuses repeated and out of order' },
      { ending: '0009', says: 'Held for quality, then fails with 132015' },
      { ending: '0010', says: 'Held for quality, then delivered' },
      { ending: '0011', says: 'Answers STOP after 1 s' },
      { ending: '0012', says: 'Answers with a text' },
    ],
  },
  {
    title: 'Calls',
    behaviours: [
      { ending: '0021', says: 'Answers, echoes real audio' },
      { ending: '0022', says: 'Calls and hangs up; the end comes first' },
      { ending: '0023', says: 'Rings out' },
      { ending: '0024', says: 'Declines after 1 s' },
      { ending: '0025', says: 'Allows calls once it is asked' },
    ],
  },
]

const all = groups.flatMap(({ behaviours }) => behaviours)

export const waIdOf = ({ ending }: Behaviour): string => `1555700${ending}`

export const behaviourOf = (waId: string): string =>
  all.find(({ ending }) => waId.endsWith(ending))?.says ?? 'Delivered; the rest is up to you'
