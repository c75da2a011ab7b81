import type { Static } from '@sinclair/typebox'
import type { Caller } from '../context.ts'
import { write } from '../kernel/operation.ts'
import { getStructure } from '../structures/store.ts'
import type { CreateSourceBody } from './schema.ts'
import { createSource, mayWriteTo } from './service.ts'
import { presentSource, type SourceRow, urlOf } from './store.ts'

export { arrival, replay, trial } from './receive.ts'

/** A source as the caller is shown it; `origin` is where services reach the server. */
export const presentTo = (caller: Caller, source: SourceRow, origin: string) =>
  presentSource(source, mayWriteTo(caller, source) ? urlOf(source, origin) : null)

interface NewSourceCall {
  readonly body: Static<typeof CreateSourceBody>
  readonly origin: string
}

export const makeSource = write({
  name: 'sources.create',
  covers: 'structures',
  run: (tx, caller, { body, origin }: NewSourceCall) => ({
    source: presentTo(caller, createSource(tx, caller, body), origin),
  }),
  check: (tx, caller, { body }) => {
    if (caller.rights) getStructure(tx, caller, body.structure, 'change')
  },
})
