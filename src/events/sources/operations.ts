import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../context.ts'
import { read, write } from '../../kernel/operation.ts'
import { getStructure } from '../../records/structures/store.ts'
import { getEvent } from './events.ts'
import type { CreateSourceBody, EventQuery, PatchSourceBody } from './schema.ts'
import {
  createSource,
  endSource,
  getSource,
  listSources,
  mayWriteTo,
  replaceToken,
  updateSource,
} from './service.ts'
import { presentSource, type SourceRow, urlOf } from './store.ts'

export { replay, storeCall, trial } from './receive.ts'

const covers = 'structures'

interface Named {
  readonly id: string
}

interface Shown {
  /** The origin at which outside services reach the server. */
  readonly origin: string
}

const presentTo = (caller: Caller, source: SourceRow, { origin }: Shown) =>
  presentSource(source, mayWriteTo(caller, source) ? urlOf(source, origin) : null)

export const readSources = read({
  name: 'sources.list',
  covers,
  run: (snapshot, caller, shown: Shown) => ({
    sources: listSources(snapshot, caller).map((source) => presentTo(caller, source, shown)),
  }),
})

export const readSource = read({
  name: 'sources.get',
  covers,
  run: (snapshot, caller, { id, ...shown }: Named & Shown) => ({
    source: presentTo(caller, getSource(snapshot, caller, id, 'read'), shown),
  }),
})

export const makeSource = write({
  name: 'sources.create',
  covers,
  run: (tx, caller, { body, ...shown }: Shown & { readonly body: Static<typeof CreateSourceBody> }) => ({
    source: presentTo(caller, createSource(tx, caller, body), shown),
  }),
  check: (tx, caller, { body }) => {
    if (caller.rights) getStructure(tx, caller, body.structure, 'change')
  },
})

export const patchSource = write({
  name: 'sources.patch',
  covers,
  object: readSource,
  run: (
    tx,
    caller,
    { id, body, ...shown }: Named & Shown & { readonly body: Static<typeof PatchSourceBody> },
  ) => ({ source: presentTo(caller, updateSource(tx, caller, id, body), shown) }),
})

export const rotateSource = write({
  name: 'sources.rotate',
  covers,
  run: (tx, caller, { id, ...shown }: Named & Shown) => ({
    source: presentTo(caller, replaceToken(tx, caller, id), shown),
  }),
})

export const deleteSource = write({
  name: 'sources.delete',
  covers,
  object: readSource,
  run: (tx, caller, { id }: Named) => {
    endSource(tx, caller, id)
    return { deleted: true, id }
  },
})

type EventInput = Named & { readonly eventId: string } & Static<typeof EventQuery>

export const readEvent = read({
  name: 'sources.event',
  covers,
  run: (snapshot, caller, { id, eventId, sealed = false }: EventInput) =>
    getEvent(snapshot, caller, id, eventId, sealed),
})
