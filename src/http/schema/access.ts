import { t } from 'elysia'
import { type Access, LEVELS, STRUCTURE_LEVELS } from '../../access/rights.ts'
import { choice, strict } from './types.ts'

const MAX_STRUCTURES = 1_000

/** What a member or a key may reach; null for everything. */
export const AccessBody = t.Unsafe<Access | null>(
  t.Union([
    strict({
      notes: t.Optional(choice(LEVELS)),
      files: t.Optional(choice(LEVELS)),
      structures: t.Optional(
        t.Record(t.String(), choice(STRUCTURE_LEVELS), { maxProperties: MAX_STRUCTURES }),
      ),
    }),
    t.Null(),
  ]),
)

/** The same in a response; absent where nothing is narrowed. */
export const ShownAccess = t.Optional(
  t.Unsafe<Access>(
    strict({
      notes: t.Optional(t.String()),
      files: t.Optional(t.String()),
      structures: t.Optional(t.Record(t.String(), t.String())),
    }),
  ),
)
