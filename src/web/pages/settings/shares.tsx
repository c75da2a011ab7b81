import { useState } from 'preact/hooks'
import { QueryResult } from '../../components/pane.tsx'
import { mayWrite } from '../../data/session.ts'
import { useShares } from '../../data/shares.ts'
import { NewShare } from '../shares/new-share.tsx'
import { ShareTable } from '../shares/share-table.tsx'
import { useTargets } from '../shares/targets.ts'
import { Section } from './section.tsx'

/** All share links of the workspace, and a form to create links to views and forms. */
export function Shares() {
  const shares = useShares()
  return (
    <Section
      name="shares"
      title="Shared links"
      about="A share link opens one note, view or form without an account. You can also share from the menu of a note or view."
    >
      {mayWrite.value && <NewLink />}
      <QueryResult query={shares}>
        {(known) => <ShareTable shares={known} hasTargets empty={<p class="dim">No shared links yet.</p>} />}
      </QueryResult>
    </Section>
  )
}

/** Prefixes of the targets' names. */
const PREFIXES: Readonly<Record<string, string>> = { form: 'Form for ', row_view: '', view: 'Notes: ' }

function NewLink() {
  const [selected, setSelected] = useState('')
  const known = useTargets()
  return (
    <QueryResult query={known}>
      {(targets) => {
        const target = targets.find(({ id, kind }) => `${kind} ${id}` === selected)
        return (
          <>
            <div class="field">
              <label for="share-target">Share</label>
              <select
                id="share-target"
                class="input"
                value={selected}
                onChange={({ currentTarget }) => setSelected(currentTarget.value)}
              >
                <option value="">Choose a view or form</option>
                {targets.map(({ kind, id, name }) => (
                  <option key={`${kind} ${id}`} value={`${kind} ${id}`}>
                    {PREFIXES[kind]}
                    {name}
                  </option>
                ))}
              </select>
            </div>
            {target && (
              <NewShare
                key={selected}
                kind={target.kind}
                targetId={target.id}
                {...(target.fields && { fields: target.fields })}
              />
            )}
          </>
        )
      }}
    </QueryResult>
  )
}
