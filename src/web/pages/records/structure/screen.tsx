import { useSignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { Button, ErrorText, Field as FieldInput, useAction } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { lazy } from '../../../components/lazy.tsx'
import { Banner, Pane } from '../../../components/pane.tsx'
import { api } from '../../../data/api.ts'
import { readAgain } from '../../../data/cache.ts'
import { formatNumber } from '../../../data/formats.ts'
import { mayWrite } from '../../../data/session.ts'
import { address, navigate } from '../../../router.ts'
import { ShareButton } from '../../shares/share-button.tsx'
import { formFieldsOf } from '../../shares/targets.ts'
import type { Structure } from '../model.ts'
import { Appearance } from './appearance.tsx'
import { DeleteStructure } from './delete.tsx'
import { bodyOf, type Draft, keyOf, newField } from './draft.ts'
import { FieldForm } from './field-form.tsx'
import { ReadOnlyStructure } from './read-only.tsx'
import { UniqueSets } from './unique-sets.tsx'
import { useDraft } from './use-draft.ts'
import { useHadRows, useRefusals } from './use-refusals.ts'

const FromCsv = lazy(async () => (await import('./from-csv.tsx')).FromCsv)
const ConvertDialog = lazy(async () => (await import('./convert.tsx')).ConvertDialog)

/** The definition of a structure; without one, a new one. */
export function StructureScreen({ structure }: { structure: Structure | undefined }) {
  return (
    <main id="main">
      <h1 class="visually-hidden">{structure ? `Fields of ${structure.name}` : 'New table'}</h1>
      <Pane kind="content" label="Table">
        <header class="bar">
          <a
            class="button quiet icon-only"
            href={address(structure ? ['records', structure.id] : ['records'])}
            aria-label={structure ? 'Back to the rows' : 'Back to the tables'}
          >
            <Icon name="back" />
          </a>
          <h2 class="cut">{structure ? structure.name : 'New table'}</h2>
          {structure?.record_count !== undefined && (
            <small>{formatNumber(structure.record_count)} rows</small>
          )}
          <span class="grow" />
          {structure && mayWrite.value && (
            <ShareButton
              word="Share a form"
              kind="form"
              targetId={structure.id}
              title={`a form for ${structure.name}`}
              fields={formFieldsOf(structure.fields)}
            />
          )}
        </header>
        {mayWrite.value ? (
          <>
            {!structure && (
              <section class="setting">
                <header>
                  <h2>From a csv file</h2>
                  <p>
                    Its first line names the columns. Nothing is made before you have seen what they become.
                  </p>
                </header>
                <FromCsv />
              </section>
            )}
            <StructureForm structure={structure} />
            {structure && <DeleteStructure structure={structure} />}
          </>
        ) : (
          structure && <ReadOnlyStructure structure={structure} />
        )}
      </Pane>
    </main>
  )
}

function StructureForm({ structure }: { structure: Structure | undefined }) {
  const { draft, isBehind, takeOver } = useDraft(structure)
  const [isSaved, setSaved] = useState(false)
  const change = (part: Partial<Draft>) => {
    setSaved(false)
    draft.value = { ...draft.value, ...part }
  }
  const save = useAction(async () => {
    const body = bodyOf(draft.value)
    const answer = structure
      ? await api.patch('/v1/records/structures/{nameOrId}', {
          params: { nameOrId: structure.id },
          body,
        })
      : await api.post('/v1/records/structures', { body })
    takeOver(answer.structure)
    await readAgain({ queryKey: ['structure record', 'structures'] })
    setSaved(true)
    if (!structure) navigate(address(['records', answer.structure.id]))
  })
  const hadRows = useHadRows(structure)
  const refusals = useRefusals(structure, draft.value)
  const { fields } = draft.value
  const converted = useSignal<Structure['fields'][number] | undefined>(undefined)
  return (
    <>
      {structure && converted.value && (
        <ConvertDialog
          structure={structure}
          field={converted.value}
          onDone={takeOver}
          onClose={() => (converted.value = undefined)}
        />
      )}
      <form
        aria-label="Table"
        onSubmit={(event) => {
          event.preventDefault()
          void save.run()
        }}
      >
        {hadRows && (
          <Banner>
            <p>
              {structure?.record_count === 0 ? 'There were rows' : 'There are rows'}: fields can be added,
              relabelled and hidden, but not removed or renamed; “Convert…” gives one another type.
            </p>
          </Banner>
        )}
        <section class="setting">
          <header>
            <h2>Name</h2>
            <p>What its rows are, as a plural: Orders, Customers.</p>
          </header>
          <div>
            <FieldInput
              label="Name"
              name="name"
              required
              autofocus={!structure}
              maxLength={500}
              value={draft.value.name}
              onInput={({ currentTarget }) => change({ name: currentTarget.value })}
            />
            <div class="field">
              <label for="structure-description">Description</label>
              <textarea
                class="input"
                id="structure-description"
                rows={2}
                maxLength={10_000}
                value={draft.value.description}
                onInput={({ currentTarget }) => change({ description: currentTarget.value })}
              />
            </div>
            <Appearance draft={draft.value} onChange={change} />
          </div>
        </section>
        <section class="setting">
          <header>
            <h2>Fields</h2>
            <p>Each has a type, and rules that every write must keep.</p>
          </header>
          <div>
            {fields.map((field, place) => (
              <FieldForm
                key={field.id}
                field={field}
                isFixed={hadRows && field.kept !== undefined}
                onConvert={
                  hadRows && field.kept && structure && !structure.immutable
                    ? () => (converted.value = field.kept)
                    : undefined
                }
                onChange={(part) =>
                  change({ fields: fields.map((old) => (old.id === field.id ? { ...old, ...part } : old)) })
                }
                onMove={place > 0 ? () => change({ fields: moveUp(fields, place) }) : undefined}
                onRemove={
                  hadRows && field.kept
                    ? undefined
                    : () => change({ fields: fields.filter(({ id }) => id !== field.id) })
                }
              />
            ))}
            <p>
              <Button onClick={() => change({ fields: [...fields, newField()] })}>
                <Icon name="plus" />
                Add a field
              </Button>
            </p>
          </div>
        </section>
        <RulesForm draft={draft.value} onChange={change} />
        <section class="setting">
          <header>
            <h2>{structure ? 'Save' : 'Make it'}</h2>
          </header>
          <div>
            {isBehind && !save.isRunning.value && (
              <Banner kind="warn">
                <p>
                  Somebody else changed this structure since you began. Saving would write over that change.
                </p>
                <Button onClick={() => takeOver(structure)}>Begin again with theirs</Button>
              </Banner>
            )}
            {refusals.length > 0 && (
              <ul class="forecast" aria-label="What would be refused">
                {refusals.map((sentence) => (
                  <li key={sentence}>
                    <span class="status bad">Refused</span> {sentence}
                  </li>
                ))}
              </ul>
            )}
            {save.refusal.value !== undefined && <ErrorText>{save.refusal.value}</ErrorText>}
            <p class="actions">
              <Button kind="main" type="submit" disabled={save.isRunning.value}>
                {structure ? 'Save the table' : 'Make the table'}
              </Button>
              <span role="status">{isSaved && 'Saved.'}</span>
            </p>
          </div>
        </section>
      </form>
    </>
  )
}

function moveUp<Item>(list: readonly Item[], place: number): Item[] {
  const next = [...list]
  next.splice(place - 1, 0, ...next.splice(place, 1))
  return next
}

interface RulesFormProps {
  readonly draft: Draft
  readonly onChange: (part: Partial<Draft>) => void
}

function RulesForm({ draft, onChange }: RulesFormProps) {
  const { fields } = draft
  return (
    <section class="setting">
      <header>
        <h2>Rules</h2>
        <p>For the rows as a whole.</p>
      </header>
      <div>
        <div class="field">
          <label for="label-field">Field that names a row</label>
          <select
            class="input"
            id="label-field"
            value={draft.labelField}
            onChange={({ currentTarget }) => onChange({ labelField: currentTarget.value })}
          >
            <option value="">the first field</option>
            {fields
              .filter((field) => keyOf(field) !== '')
              .map((field) => (
                <option key={field.id} value={keyOf(field)}>
                  {field.label || keyOf(field)}
                </option>
              ))}
          </select>
        </div>
        <UniqueSets draft={draft} onChange={(uniqueTogether) => onChange({ uniqueTogether })} />
        <FieldInput
          label="At most this many rows; 1 makes a settings object that each write replaces"
          name="max_rows"
          type="number"
          value={draft.maxRows}
          onInput={({ currentTarget }) => onChange({ maxRows: currentTarget.value })}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={draft.immutable}
            onChange={({ currentTarget }) => onChange({ immutable: currentTarget.checked })}
          />{' '}
          Rows are never edited, only written and deleted
        </label>
      </div>
    </section>
  )
}
