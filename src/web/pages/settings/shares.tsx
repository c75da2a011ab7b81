import { useState } from 'preact/hooks'
import { Known } from '../../components/pane.tsx'
import { api } from '../../data/api.ts'
import { useQuery } from '../../data/cache.ts'
import { mayWrite } from '../../data/session.ts'
import { type ShareKind, useShares } from '../../data/shares.ts'
import { NewShare } from '../shares/new-share.tsx'
import { ShareTable } from '../shares/share-table.tsx'
import { Section } from './section.tsx'

/** Every link that is open: what it shows, by whom, how often it was used; and links to views and forms are made here. */
export function Shares() {
  const shares = useShares()
  return (
    <Section
      name="shares"
      title="Shared links"
      about="A link opens one note, view or form without an account. A note is shared from its own menu."
    >
      {mayWrite.value && <NewLink />}
      <Known query={shares}>
        {(known) =>
          known.length === 0 ? <p class="dim">Nothing is shared.</p> : <ShareTable shares={known} />
        }
      </Known>
    </Section>
  )
}

interface Target {
  readonly kind: ShareKind
  readonly id: string
  readonly name: string
}

/** What can be shared beside notes. */
const useTargets = () =>
  useQuery(['view structure row_view', 'shared'], async ({ signal }) => {
    const [{ views }, { structures }, { row_views }] = await Promise.all([
      api.get('/v1/views', { signal }),
      api.get('/v1/records/structures', { signal }),
      api.get('/v1/records/views', { signal }),
    ])
    const nameOf = new Map(structures.map(({ id, name }) => [id, name]))
    const targets: Target[] = [
      ...structures.map(({ id, name }) => ({ kind: 'form' as const, id, name: `Form for ${name}` })),
      ...row_views.map(({ id, name, structure_id }) => ({
        kind: 'row_view' as const,
        id,
        name: `${nameOf.get(structure_id) ?? ''}: ${name}`,
      })),
      ...views.map(({ id, name }) => ({ kind: 'view' as const, id, name: `Notes: ${name}` })),
    ]
    return { targets, structures }
  })

/** The types of fields that a form cannot ask. */
const NOT_ASKED: readonly string[] = ['note', 'record']

function NewLink() {
  const [chosen, setChosen] = useState('')
  const known = useTargets()
  return (
    <Known query={known}>
      {({ targets, structures }) => {
        const target = targets.find(({ id, kind }) => `${kind} ${id}` === chosen)
        const fields = structures
          .find(({ id }) => id === target?.id)
          ?.fields.filter(({ type, hidden }) => !hidden && !NOT_ASKED.includes(type))
        return (
          <>
            <div class="field">
              <label for="share-target">Share</label>
              <select
                id="share-target"
                class="input"
                value={chosen}
                onChange={({ currentTarget }) => setChosen(currentTarget.value)}
              >
                <option value="">Choose what to share</option>
                {targets.map(({ kind, id, name }) => (
                  <option key={`${kind} ${id}`} value={`${kind} ${id}`}>
                    {name}
                  </option>
                ))}
              </select>
            </div>
            {target && (
              <NewShare key={chosen} kind={target.kind} targetId={target.id} {...(fields && { fields })} />
            )}
          </>
        )
      }}
    </Known>
  )
}
