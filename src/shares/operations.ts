import type { Static } from '@sinclair/typebox'
import { read, write } from '../kernel/operation.ts'
import { pageRequest } from '../lib/pagination.ts'
import type { CreateShareBody, ListQuery, PatchShareBody } from './schema.ts'
import {
  endShare,
  getShare,
  getTarget,
  insertShare,
  listShares,
  presentShare,
  replaceToken,
  updateShare,
} from './service.ts'

const covers = 'several'

interface Named {
  readonly id: string
}

interface Shown {
  /** The origin at which visitors reach the server. */
  readonly origin: string
}

export const readShares = read({
  name: 'shares.list',
  covers,
  run: (snapshot, caller, { origin, ...page }: Shown & Static<typeof ListQuery>) =>
    listShares(snapshot, caller, pageRequest(page), origin),
})

export const readShare = read({
  name: 'shares.get',
  covers,
  run: (snapshot, caller, { id, origin }: Named & Shown) => ({
    share: presentShare(caller, getShare(snapshot, caller, id), snapshot, origin),
  }),
})

type CreateInput = Shown & {
  readonly body: Static<typeof CreateShareBody>
  readonly passwordHash: string | null
}

export const createShare = write({
  name: 'shares.create',
  covers,
  run: (tx, caller, { body, passwordHash, origin }: CreateInput) => ({
    share: presentShare(caller, insertShare(tx, caller, body, passwordHash), tx, origin),
  }),
  check: (tx, caller, { body }) => void getTarget(tx, caller, body.kind, body.target_id),
})

interface PatchInput extends Named, Shown {
  readonly body: Static<typeof PatchShareBody>
  /** Undefined if the request sends none, null if it removes the password. */
  readonly passwordHash: string | null | undefined
}

export const patchShare = write({
  name: 'shares.patch',
  covers,
  run: (tx, caller, { id, body, passwordHash, origin }: PatchInput) => ({
    share: presentShare(caller, updateShare(tx, caller, id, body, passwordHash), tx, origin),
  }),
})

export const rotateShare = write({
  name: 'shares.rotate',
  covers,
  run: (tx, caller, { id, origin }: Named & Shown) => ({
    share: presentShare(caller, replaceToken(tx, caller, id), tx, origin),
  }),
})

export const deleteShare = write({
  name: 'shares.delete',
  covers,
  run: (tx, caller, { id }: Named) => {
    endShare(tx, caller, id)
    return { deleted: true, id }
  },
})
