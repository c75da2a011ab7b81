import { hueOfTag } from '../../../components/tag.tsx'

/** Icons of views and tables, on a 16 px grid. */
const SHAPES = {
  table: 'M1.5 2.5h13v11h-13zM1.5 6h13M1.5 9.75h13M6 6v7.5',
  board: 'M2 2.5h3v11H2zM6.5 2.5h3v7h-3zM11 2.5h3v9h-3z',
  calendar: 'M2.5 3.5h11v10h-11zM2.5 6.75h11M5.5 1.75v3M10.5 1.75v3',
  group: 'M1.5 3h13M5 6.35h9.5M5 9.65h9.5M1.5 13h13',
  lock: 'M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  own: 'M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.5-2.75 2.5-4 5-4s4.5 1.25 5 4',
  book: 'M3 2h10v12H3zM5.5 2v12',
  box: 'M2.5 5 8 2l5.5 3v6L8 14l-5.5-3zM2.5 5 8 8l5.5-3M8 8v6',
  cart: 'M1.5 2.5h2l1.5 8h7l1.5-6h-9.5M6 13.5h.01M11.5 13.5h.01',
  coin: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v6M6 6.5h3a1.2 1.2 0 0 1 0 2.5H6.5',
  flag: 'M3.5 14.5v-12h9l-2 3 2 3h-9',
  heart: 'M8 13.5S2 10 2 6a3 3 0 0 1 6-1 3 3 0 0 1 6 1c0 4-6 7.5-6 7.5z',
  home: 'M2.5 7.5 8 2.5l5.5 5v6h-11zM6.5 13.5v-4h3v4',
  person:
    'M8 7.75A2.75 2.75 0 1 0 8 2.25a2.75 2.75 0 0 0 0 5.5zM2.75 14c.5-3 2.5-4.25 5.25-4.25S12.75 11 13.25 14',
  phone: 'M4.5 1.5h7v13h-7zM7 12.5h2',
  star: 'm8 2 1.85 3.9 4.15.6-3 3 .7 4.25L8 11.7l-3.7 2.05L5 9.5l-3-3 4.15-.6z',
  tool: 'M13.5 4.5 11 7 9 5l2.5-2.5a4 4 0 0 0-5 5L2 12l2 2 4.5-4.5a4 4 0 0 0 5-5z',
} as const

export type TableIconName = keyof typeof SHAPES

/** Icons that a table can have. */
export const STRUCTURE_ICONS = Object.keys(SHAPES).filter(
  (name) => !['lock', 'own', 'board', 'group'].includes(name),
) as TableIconName[]

export const TableIcon = ({ name }: { name: TableIconName }) => (
  <svg class="icon" aria-hidden="true" viewBox="0 0 16 16">
    <path d={SHAPES[name]} />
  </svg>
)

interface TileProps {
  readonly icon?: string | undefined
  readonly color?: string | undefined
  /** Determines the hue if there is no colour. */
  readonly name?: string
}

/** The icon of a table on a square in its colour. */
export function Tile({ icon, color, name = '' }: TileProps) {
  const iconName = icon !== undefined && Object.hasOwn(SHAPES, icon) ? (icon as TableIconName) : 'table'
  const colours =
    color === undefined
      ? {}
      : {
          '--wash': `color-mix(in oklab, ${color} 22%, var(--paper))`,
          '--tint': `color-mix(in oklab, ${color} 45%, var(--ink))`,
        }
  return (
    <span class={`tile ${hueOfTag(name)}`} style={colours}>
      <TableIcon name={iconName} />
    </span>
  )
}
