import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../context.ts'
import { read, write } from '../../kernel/operation.ts'
import type { AllowlistEntry } from '../../lib/addresses.ts'
import { getStructure } from '../../records/structures/store.ts'
import { getEvent } from './events.ts'
import type { CreateSourceBody, EventQuery, PatchSourceBody, ResumeBody } from './schema.ts'
import {
  createSource,
  endSource,
  getSource,
  listSources,
  mayWriteTo,
  replaceToken,
  resumeForward,
  updateSource,
} from './service.ts'
import { presentSource, type SourceRow, urlOf } from './store.ts'

const covers = 'structures'

interface Named {
  readonly id: string
}

interface Shown {
  /** The origin at which outside services reach the server. */
  readonly origin: string
}

interface Allowing {
  readonly allowlist: readonly AllowlistEntry[]
}

function presentTo(caller: Caller, source: SourceRow, { origin }: Shown) {
  const seesUrls = mayWriteTo(caller, source)
  return presentSource(source, seesUrls ? urlOf(source, origin) : null, seesUrls)
}

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

type Creation = Shown & Allowing & { readonly body: Static<typeof CreateSourceBody> }

export const makeSource = write({
  name: 'sources.create',
  covers,
  run: (tx, caller, { body, allowlist, ...shown }: Creation) => ({
    source: presentTo(caller, createSource(tx, caller, body, { allowlist }), shown),
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
    {
      id,
      body,
      allowlist,
      ...shown
    }: Named & Shown & Allowing & { readonly body: Static<typeof PatchSourceBody> },
  ) => ({ source: presentTo(caller, updateSource(tx, caller, id, body, { allowlist }), shown) }),
})

export const rotateSource = write({
  name: 'sources.rotate',
  covers,
  run: (tx, caller, { id, ...shown }: Named & Shown) => ({
    source: presentTo(caller, replaceToken(tx, caller, id), shown),
  }),
})

type Resumption = Named & Shown & { readonly body: Static<typeof ResumeBody> }

/** Ends the pause of a target. */
export const resumeSource = write({
  name: 'sources.resume',
  covers,
  run: (tx, caller, { id, body: { url }, ...shown }: Resumption) => ({
    source: presentTo(caller, resumeForward(tx, caller, id, url), shown),
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
