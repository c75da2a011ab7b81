import { CHANGE_OPERATIONS } from '../../storage/schema/changes.ts'
import { t } from './types.ts'

/* The common parts of the schemas of all endpoints that show changes. */

export const CURSOR = '5d0c7e91ab34-2s'

export const cursor = (description: string, example = CURSOR) =>
  t.text({ minLength: 1, maxLength: 64, description, examples: [example] })

export const Actor = t.strict(
  {
    surface: t.String({ examples: ['api'] }),
    user_id: t.nullable(t.String()),
    key_id: t.nullable(t.String()),
    name: t.nullable(t.String({ examples: ['laptop'] })),
  },
  {
    $id: 'Actor',
    description:
      'The author of a change: the key, or else the user. `name` is the name of the key, else of the user, at that time. The command line has the name `command line`, the server itself the surface `system`.',
  },
)

export const difference = {
  changed: t.Array(t.String(), {
    description: 'For an update: the changed attributes, or field keys of a record.',
    examples: [['status']],
  }),
  previous: t.Record(t.String(), t.Unknown(), {
    description:
      'Their old values, null for none. The old text of a note is in its revisions; old secrets are not shown.',
    examples: [{ status: 'open' }],
  }),
}

export const operation = () =>
  t.choice(CHANGE_OPERATIONS, {
    description:
      'A note is `deleted` when it is moved to the trash, and `purged` when it is removed from there.',
    examples: ['updated'],
  })

export const cursorField = () => t.String({ description: 'Opaque.', examples: [CURSOR] })

/** A version of an object. */
export const Version = t.strict(
  { cursor: cursorField(), at: t.timestamp(), op: operation(), ...difference, actor: Actor },
  { $id: 'Version' },
)
