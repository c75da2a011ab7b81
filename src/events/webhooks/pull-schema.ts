import { t } from '../../http/schema/types.ts'
import { DeliveredEvent } from './event-schema.ts'

const MAX_EVENTS = 200
const MAX_WAIT_SECONDS = 60

const cursor = (description: string) =>
  t.String({ description, examples: ['01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60.12'] })

export const PulledResponse = t.response({
  events: t.Array(
    t.strict({ cursor: cursor('Acknowledges this event and all before it.'), payload: DeliveredEvent }),
  ),
  acknowledged: t.nullable(cursor('The last acknowledged cursor.'), 'null before the first acknowledgement.'),
  has_more: t.Boolean(),
})
export const AcknowledgedResponse = t.response({
  acknowledged: t.nullable(cursor('The last acknowledged cursor.')),
  pending: t.integer({ description: 'The events that it still keeps.', examples: [0] }),
})
const { limit } = t.paging(MAX_EVENTS)
export const PulledQuery = t.strict({
  after: t.Optional(
    t.text({
      minLength: 1,
      maxLength: 100,
      description: 'A cursor: only later events. `start` for the oldest kept.',
      examples: ['start'],
    }),
  ),
  limit,
  wait: t.Optional(
    t.integer({
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
      description: 'For how many seconds an empty page waits for an event.',
      examples: [30],
    }),
  ),
})

export const AcknowledgeBody = t.strict({
  cursor: t.text({
    minLength: 1,
    maxLength: 100,
    description: 'The cursor of the last event that is done.',
    examples: ['01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60.12'],
  }),
})
