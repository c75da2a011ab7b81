import { address } from '../../router.ts'

const DIRECTIONS = [
  ['out', 'Subscriptions', address(['webhooks'])],
  ['in', 'Sources', address(['webhooks', 'in'])],
] as const

/** Leads from what goes out to what comes in, and back. */
export const Directions = ({ here }: { here: 'out' | 'in' }) => (
  <nav class="tabs" aria-label="Out and in">
    {DIRECTIONS.map(([direction, title, to]) => (
      <a key={direction} href={to} aria-current={direction === here ? 'page' : undefined}>
        {title}
      </a>
    ))}
  </nav>
)
