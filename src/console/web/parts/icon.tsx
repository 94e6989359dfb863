// Icons of 16 pixels, drawn with strokes. Screen readers skip them: the text beside them has the meaning.

const paths = {
  overview: 'M2 8.5 8 3l6 5.5M4 7.5V13h8V7.5',
  conversations: 'M2.5 3.5h11v7.5H7l-3 2.5V11H2.5z',
  calls:
    'M4 2.5h2l1 3-1.5 1.200a8 8 0 0 0 3.800 3.800L10.5 9l3 1v2c0 1-.8 1.5-1.600 1.400A11 11 0 0 1 2.600 4.100C2.5 3.300 3 2.5 4 2.5z',
  campaigns: 'M2.5 6.5v3h2L10 13V3L4.5 6.5zM12.5 6a3 3 0 0 1 0 4',
  numbers: 'M6.5 2.5 5 13.5M11 2.5 9.5 13.5M3 6h10.5M2.5 10H13',
  templates: 'M2.5 2.5h11v11h-11zM2.5 6h11M6.5 6v7.5',
  keys: 'M9.5 9.5a3.5 3.5 0 1 0-3-3l-4 4v3h3v-2h2v-1.5zM10.800 5.200v.1',
  endpoints:
    'M7 4.5 9 2.600a2.5 2.5 0 0 1 3.5 3.5l-2 2a2.5 2.5 0 0 1-3.5 0M9 11.5l-2 1.900a2.5 2.5 0 0 1-3.5-3.5l2-2a2.5 2.5 0 0 1 3.5 0',
  deliveries: 'M2.5 4h11M2.5 8h7M2.5 12h5M11 10l2 2-2 2',
  members:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5a4.5 4.5 0 0 1 9 0M11 7.300a2.400 2.400 0 0 0 0-4.600M12.5 9.5a4.5 4.5 0 0 1 2 4',
  audit: 'M8 2 3 4v4c0 3 2.5 5 5 6 2.5-1 5-3 5-6V4zM6 8l1.5 1.5L10.5 6.5',
  settings: 'M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M10 3.5v3M6 9.5v3',
  account: 'M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5a5 5 0 0 1 10 0',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  ticks: 'M1.5 8.5l3 3 6.5-7M8 11.5l6.5-7',
  clock: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM8 5v3.200l2 1.300',
  down: 'M8 3v9.500M4 8.500l4 4 4-4',
  clip: 'M13 7.500 8 12.500a3.200 3.200 0 0 1-4.500-4.500L9 2.500a2.100 2.100 0 0 1 3 3L6.700 10.800a1 1 0 0 1-1.500-1.500L10 4.500',
  search: 'M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM10.500 10.500 14 14',
  sound: 'M2.500 6v4h2.500L9 13V3L5 6zM11.500 5.500a3.500 3.500 0 0 1 0 5',
  missed: 'M4 5.500 8 9.500l5-5M4 9V5.500h3.500M4 12.500h9',
  file: 'M4 2.5h5l3.5 3.5v7.5H4zM9 2.5V6h3.5',
  send: 'M2.5 8h5M2.5 2.5l11.500 5.500-11.500 5.500L4 8z',
  plus: 'M8 3v10M3 8h10',
  chevron: 'M6 3.5 10.5 8 6 12.5',
  more: 'M3.2 8a.3.3 0 1 0 .6 0 .3.3 0 1 0-.6 0M7.7 8a.3.3 0 1 0 .6 0 .3.3 0 1 0-.6 0M12.2 8a.3.3 0 1 0 .6 0 .3.3 0 1 0-.6 0',
  refresh: 'M13 5.5A5.5 5.5 0 1 0 13.5 8M13.5 2.5v3h-3',
  replay: 'M3 5.5A5.5 5.5 0 1 1 2.5 8M2.5 2.5v3h3',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.400 3.400l.7.7M11.900 11.900l.7.7M3.400 12.600l.7-.7M11.900 4.100l.7-.7',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z',
  screen: 'M2 3h12v8H2zM6 14h4M8 11v3',
  download: 'M8 2.5v8M4.5 7.5 8 11l3.5-3.500M3 13.5h10',
  print: 'M4.5 6V2.5h7V6M4.5 11.5h-2V6h11v5.5h-2M4.5 9.5h7v4h-7z',
  reply: 'M6.500 4 3 7.500 6.500 11M3 7.500h6a4 4 0 0 1 4 4v1',
  image: 'M2.5 3h11v10h-11zM2.5 11l3.5-3.500 3 3 2-2 2.500 2.500M10.500 6v.1',
  video: 'M2 4h8.500v8H2zM10.500 7 14 5v6l-3.500-2',
  document: 'M4 2h5.500L12.500 5v9H4zM9.500 2v3h3M6 8h4.500M6 11h4.500',
  pin: 'M8 14S3.500 9.500 3.500 6.500a4.500 4.500 0 0 1 9 0C12.500 9.500 8 14 8 14zM8 8a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3z',
  open: 'M9 2.500h4.500V7M13.500 2.500 7.500 8.500M11 9.500v4H2.500V5h4',
  exit: 'M6.5 2.5h-4v11h4M10 5l3 3-3 3M13 8H6',
  warning: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 11.800v.1',
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d={paths[name]} />
  </svg>
)

/** For the headers of templates that are no text. */
export const headerIcons: Readonly<Record<string, IconName>> = {
  IMAGE: 'image',
  VIDEO: 'video',
  GIF: 'video',
  DOCUMENT: 'document',
  LOCATION: 'pin',
  PRODUCT: 'image',
}
