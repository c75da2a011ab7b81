import { useState } from 'preact/hooks'
import { Known } from '../../components/pane.tsx'
import { mayWrite } from '../../data/session.ts'
import { useShares } from '../../data/shares.ts'
import { NewShare } from '../shares/new-share.tsx'
import { ShareTable } from '../shares/share-table.tsx'
import { useTargets } from '../shares/targets.ts'
import { Section } from './section.tsx'

/** Every link that is open: what it shows, by whom, how often it was used; and links to views and forms are made here. */
export function Shares() {
  const shares = useShares()
  return (
    <Section
      name="shares"
      title="Shared links"
      about="A link opens one note, view or form without an account. What is shared has it in its own menu, too."
    >
      {mayWrite.value && <NewLink />}
      <Known query={shares}>
        {(known) =>
          known.length === 0 ? <p class="dim">Nothing is shared.</p> : <ShareTable shares={known} isOfMany />
        }
      </Known>
    </Section>
  )
}

/** Before the name of what is shared, where it is one among all. */
const WORDS: Readonly<Record<string, string>> = { form: 'Form for ', row_view: '', view: 'Notes: ' }

function NewLink() {
  const [chosen, setChosen] = useState('')
  const known = useTargets()
  return (
    <Known query={known}>
      {(targets) => {
        const target = targets.find(({ id, kind }) => `${kind} ${id}` === chosen)
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
                    {WORDS[kind]}
                    {name}
                  </option>
                ))}
              </select>
            </div>
            {target && (
              <NewShare
                key={chosen}
                kind={target.kind}
                targetId={target.id}
                {...(target.fields && { fields: target.fields })}
              />
            )}
          </>
        )
      }}
    </Known>
  )
}
