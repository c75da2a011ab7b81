import { useSignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { Check } from '../../../components/check.tsx'
import { Button, ErrorText, Field as FieldInput, useAction } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { lazy } from '../../../components/lazy.tsx'
import { Banner, Pane } from '../../../components/pane.tsx'
import { api } from '../../../data/api.ts'
import { refetch } from '../../../data/cache.ts'
import { formatNumber } from '../../../data/formats.ts'
import type { Structure } from '../../../data/records/model.ts'
import { useRowRights } from '../../../data/records/row-rights.ts'
import { address, navigate } from '../../../router.ts'
import { ShareButton } from '../../shares/share-button.tsx'
import { formFieldsOf } from '../../shares/targets.ts'
import { Appearance } from './appearance.tsx'
import { DeleteStructure } from './delete.tsx'
import { bodyOf, type Draft, keyOf, newField } from './draft.ts'
import { FieldForm } from './field-form.tsx'
import { NewTable } from './new-table.tsx'
import { ReadOnlyStructure } from './read-only.tsx'
import { UniqueSets } from './unique-sets.tsx'
import { useDraft } from './use-draft.ts'
import { useHadRows, useRefusals } from './use-refusals.ts'

const ConvertDialog = lazy(async () => (await import('./convert.tsx')).ConvertDialog)

/** Edits a structure, or creates one if undefined. */
export function StructureScreen({ structure }: { structure: Structure | undefined }) {
  const rights = useRowRights(structure?.id)
  return (
    <main id="main">
      <h1 class="visually-hidden">{structure ? `Fields of ${structure.name}` : 'New table'}</h1>
      <Pane kind="content" label="Table">
        <header class="bar">
          <a
            class="button quiet icon-only"
            href={address(structure ? ['records', structure.id] : ['records'])}
            aria-label={structure ? 'Back to rows' : 'Back to tables'}
          >
            <Icon name="back" />
          </a>
          <h2 class="cut">{structure ? structure.name : 'New table'}</h2>
          {structure?.record_count !== undefined && (
            <small>{formatNumber(structure.record_count)} rows</small>
          )}
          <span class="grow" />
          {structure && rights.mayWrite && (
            <ShareButton
              word="Share a form"
              kind="form"
              targetId={structure.id}
              title={`a form for ${structure.name}`}
              fields={formFieldsOf(structure.fields)}
            />
          )}
        </header>
        {rights.mayWrite ? (
          <>
            {structure ? (
              <StructureForm structure={structure} />
            ) : (
              <NewTable>
                <StructureForm structure={undefined} />
              </NewTable>
            )}
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
  const { draft, isBehind, resetTo } = useDraft(structure)
  const [isSaved, setSaved] = useState(false)
  const change = (part: Partial<Draft>) => {
    setSaved(false)
    draft.value = { ...draft.value, ...part }
  }
  const save = useAction(async () => {
    const body = bodyOf(draft.value)
    const response = structure
      ? await api.patch('/v1/records/structures/{nameOrId}', {
          params: { nameOrId: structure.id },
          body,
        })
      : await api.post('/v1/records/structures', { body })
    resetTo(response.structure)
    await refetch({ queryKey: ['structure record', 'structures'] })
    setSaved(true)
    if (!structure) navigate(address(['records', response.structure.id]))
  })
  const isFixed = useHadRows(structure)
  const refusals = useRefusals(structure, draft.value)
  const { fields } = draft.value
  const converted = useSignal<Structure['fields'][number] | undefined>(undefined)
  return (
    <>
      {structure && converted.value && (
        <ConvertDialog
          structure={structure}
          field={converted.value}
          onDone={resetTo}
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
        {isFixed && (
          <Banner>
            <p>
              {structure?.record_count === 0 ? 'This table had rows.' : 'This table has rows.'} You can add,
              relabel, hide or convert fields, but not delete them.
            </p>
          </Banner>
        )}
        <section class="setting">
          <header>
            <h2>Name</h2>
            <p>A plural, such as Orders or Customers.</p>
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
            <p>Each field has a type and rules that all rows must follow.</p>
          </header>
          <div>
            {fields.map((field, index) => (
              <FieldForm
                key={field.id}
                field={field}
                isFixed={isFixed && field.stored !== undefined}
                others={
                  new Map(
                    fields
                      .filter((other) => other !== field && !other.multiple)
                      .map((other) => [keyOf(other), other.type]),
                  )
                }
                structure={structure}
                onConvert={
                  isFixed && field.stored && !field.stored.via && structure && !structure.immutable
                    ? () => (converted.value = field.stored)
                    : undefined
                }
                onChange={(part) =>
                  change({ fields: fields.map((old) => (old.id === field.id ? { ...old, ...part } : old)) })
                }
                onMove={index > 0 ? () => change({ fields: moveUp(fields, index) }) : undefined}
                onRemove={
                  isFixed && field.stored
                    ? undefined
                    : () => change({ fields: fields.filter(({ id }) => id !== field.id) })
                }
              />
            ))}
            <p>
              <Button onClick={() => change({ fields: [...fields, newField()] })}>
                <Icon name="plus" />
                Add field
              </Button>
            </p>
          </div>
        </section>
        <RulesForm draft={draft.value} onChange={change} />
        <section class="setting">
          <header>
            <h2>{structure ? 'Save' : 'Create'}</h2>
          </header>
          <div>
            {isBehind && !save.isRunning.value && (
              <Banner kind="warn">
                <p>
                  Someone else changed this table while you were editing. Saving overwrites their changes.
                </p>
                <Button onClick={() => resetTo(structure)}>Discard mine and reload</Button>
              </Banner>
            )}
            {refusals.length > 0 && (
              <ul class="forecast" aria-label="Errors">
                {refusals.map((message) => (
                  <li key={message}>
                    <span class="status bad">Error</span> {message}
                  </li>
                ))}
              </ul>
            )}
            {save.refusal.value !== undefined && <ErrorText>{save.refusal.value}</ErrorText>}
            <p class="actions">
              <Button kind="main" type="submit" disabled={save.isRunning.value}>
                {structure ? 'Save table' : 'Create table'}
              </Button>
              <span role="status">{isSaved && 'Saved.'}</span>
            </p>
          </div>
        </section>
      </form>
    </>
  )
}

function moveUp<Item>(list: readonly Item[], index: number): Item[] {
  const next = [...list]
  next.splice(index - 1, 0, ...next.splice(index, 1))
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
        <p>Rules for the table as a whole.</p>
      </header>
      <div>
        <div class="field">
          <label for="label-field">Title field</label>
          <select
            class="input"
            id="label-field"
            value={draft.labelField}
            onChange={({ currentTarget }) => onChange({ labelField: currentTarget.value })}
          >
            <option value="">First field</option>
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
          label="Row limit (1 makes a single settings record)"
          name="max_rows"
          type="number"
          value={draft.maxRows}
          onInput={({ currentTarget }) => onChange({ maxRows: currentTarget.value })}
        />
        <Check
          label="Rows cannot be edited, only added and deleted"
          checked={draft.immutable}
          onChange={(isOn) => onChange({ immutable: isOn })}
        />
      </div>
    </section>
  )
}
