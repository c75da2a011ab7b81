/** Icons on a 16 px grid, defined once per page. */
const SHAPES = {
  agent: (
    <>
      <rect x="2.5" y="5" width="11" height="8.5" rx="1.5" />
      <path d="M8 5V2M6 8.5v1.5M10 8.5v1.5" />
    </>
  ),
  back: (
    <>
      <path d="M13 8H3M7 4 3 8l4 4" />
    </>
  ),
  book: (
    <>
      <path d="M3 2h10v12H3zM5.5 2v12" />
    </>
  ),
  calendar: (
    <>
      <path d="M2.5 3.5h11v10h-11zM2.5 6.75h11M5.5 1.75v3M10.5 1.75v3" />
    </>
  ),
  chart: (
    <>
      <path d="M2.5 13.5h11M4.5 11V7.5M8 11V3M11.5 11V5.5" />
    </>
  ),
  check: (
    <>
      <path d="m3 8.5 3.5 3.5L13 4.5" />
    </>
  ),
  clock: (
    <>
      <circle cx="8" cy="8" r="6.25" />
      <path d="M8 4.5V8l2.5 1.5" />
    </>
  ),
  copy: (
    <>
      <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />
    </>
  ),
  down: (
    <>
      <path d="m4 6 4 4 4-4" />
    </>
  ),
  file: (
    <>
      <path d="M9 1.5H3.5v13h9V5zM9 1.5V5h3.5" />
    </>
  ),
  fit: (
    <>
      <path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10" />
    </>
  ),
  gear: (
    <>
      <path d="M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7" />
      <circle cx="10.5" cy="4.5" r="1.5" />
      <circle cx="5.5" cy="11.5" r="1.5" />
    </>
  ),
  graph: (
    <>
      <circle cx="3.5" cy="8" r="2" />
      <circle cx="12" cy="3.5" r="2" />
      <circle cx="12" cy="12.5" r="2" />
      <path d="m5.3 7 5-2.6M5.3 9l5 2.6" />
    </>
  ),
  hook: (
    <>
      <circle cx="8" cy="4" r="2.25" />
      <circle cx="3.75" cy="11.75" r="2.25" />
      <circle cx="12.25" cy="11.75" r="2.25" />
      <path d="M7 6 4.75 9.75M6 11.75h4M9 6l2.25 3.75" />
    </>
  ),
  inbox: (
    <>
      <path d="M2.5 9.5l2-6.5h7l2 6.5v4h-11zH6L7 11h2l1-1.5h3.5" />
    </>
  ),
  key: (
    <>
      <circle cx="5" cy="8" r="3" />
      <path d="M8 8h6.5v2.5M11.5 8v2" />
    </>
  ),
  minus: (
    <>
      <path d="M3 8h10" />
    </>
  ),
  more: (
    <>
      <path d="M3 8h.01M8 8h.01M13 8h.01" stroke-width="2.5" />
    </>
  ),
  notes: (
    <>
      <path d="M3.5 1.5h9v13h-9zM6 5h4M6 8h4M6 11h2" />
    </>
  ),
  person: (
    <>
      <circle cx="8" cy="5" r="2.75" />
      <path d="M2.75 14c.5-3 2.5-4.25 5.25-4.25S12.75 11 13.25 14" />
    </>
  ),
  pin: (
    <>
      <path d="M8 10v4.5M4.5 10h7L10 7V2.5H6V7z" />
    </>
  ),
  plus: (
    <>
      <path d="M8 3v10M3 8h10" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="4.75" />
      <path d="m10.5 10.5 3.75 3.75" />
    </>
  ),
  side: (
    <>
      <path d="M1.5 2.5h13v11h-13zM10 2.5v11" />
    </>
  ),
  star: (
    <>
      <path d="m8 2 1.85 3.9 4.15.6-3 3 .7 4.25L8 11.7l-3.7 2.05L5 9.5l-3-3 4.15-.6z" />
    </>
  ),
  table: (
    <>
      <path d="M1.5 2.5h13v11h-13zM1.5 6h13M1.5 9.75h13M6 6v7.5" />
    </>
  ),
  term: (
    <>
      <path d="m2.5 4 4 4-4 4M8.5 12h5" />
    </>
  ),
  trash: (
    <>
      <path d="M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.75 9h6.5l.75-9M6.75 7v4M9.25 7v4" />
    </>
  ),
  up: (
    <>
      <path d="m4 10 4-4 4 4" />
    </>
  ),
  warn: (
    <>
      <path d="M8 2 1.5 13.5h13zM8 6.5v3.25M8 11.75h.01" />
    </>
  ),
  x: (
    <>
      <path d="m3.5 3.5 9 9M12.5 3.5l-9 9" />
    </>
  ),
}

export type IconName = keyof typeof SHAPES

/** Must be rendered exactly once. */
export const IconShapes = () => (
  <svg hidden aria-hidden="true">
    {Object.entries(SHAPES).map(([name, shape]) => (
      <symbol key={name} id={`i-${name}`} viewBox="0 0 16 16">
        {shape}
      </symbol>
    ))}
  </svg>
)

/** Decoration beside a word. A control without a word needs its own label. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" aria-hidden="true">
    <use href={`#i-${name}`} />
  </svg>
)
