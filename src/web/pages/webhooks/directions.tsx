import { address } from '../../router.ts'

const DIRECTIONS = [
  ['out', 'Outgoing', address(['webhooks'])],
  ['in', 'Sources', address(['webhooks', 'in'])],
] as const

/** Tabs for outgoing webhooks and for sources. */
export const Directions = ({ here }: { here: 'out' | 'in' }) => (
  <nav class="tabs" aria-label="Direction">
    {DIRECTIONS.map(([direction, title, to]) => (
      <a key={direction} href={to} aria-current={direction === here ? 'page' : undefined}>
        {title}
      </a>
    ))}
  </nav>
)
