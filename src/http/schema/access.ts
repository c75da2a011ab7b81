import { type Access, LEVELS, STRUCTURE_LEVELS } from '../../kernel/caller.ts'
import { t } from './types.ts'

const MAX_STRUCTURES = 1_000

/** The access of a member or a key; null for everything. */
export const AccessBody = t.Unsafe<Access | null>(
  t.Union([
    t.strict(
      t.optional({
        notes: t.choice(LEVELS),
        files: t.choice(LEVELS),
        structures: t.Record(t.String(), t.choice(STRUCTURE_LEVELS), { maxProperties: MAX_STRUCTURES }),
      }),
    ),
    t.Null(),
  ]),
)

/** The same in a response; absent if the access is not restricted. */
export const AccessResponse = t.Optional(
  t.Unsafe<Access>(
    t.strict(
      t.optional({
        notes: t.String(),
        files: t.String(),
        structures: t.Record(t.String(), t.String()),
      }),
    ),
  ),
)
