import { useSignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { Button, ErrorText, Field as FieldInput, useAction } from '../../../components/form.tsx'
import { lazy } from '../../../components/lazy.tsx'
import { Modal } from '../../../components/modal.tsx'
import { SelectField } from '../../../components/select.tsx'
import type { Structure } from '../../../data/records/model.ts'
import { useStructures } from '../../../data/records/structures.ts'
import { addField, changeField, renameField } from '../structure/change-fields.ts'
import { draftOfField, isComputedType, TYPE_LABELS, TYPES } from '../structure/draft.ts'
import { FieldForm } from '../structure/field-form.tsx'
import { useHadRows } from '../structure/use-refusals.ts'

const ConvertDialog = lazy(async () => (await import('../structure/convert.tsx')).ConvertDialog)

/** A change at the head of a column. */
export type FieldChange =
  | { readonly kind: 'add'; readonly index: number }
  | { readonly kind: 'rename'; readonly key: string }
  | { readonly kind: 'edit'; readonly key: string }

interface FieldDialogProps {
  readonly structure: Structure
  readonly change: FieldChange
  readonly onClose: () => void
}

/** Adds a field by its name and type, renames one, or edits its type and options. */
export function FieldDialog({ structure, change, onClose }: FieldDialogProps) {
  if (change.kind === 'edit')
    return <EditField structure={structure} fieldKey={change.key} onClose={onClose} />
  return <NameField structure={structure} change={change} onClose={onClose} />
}

interface EditFieldProps {
  readonly structure: Structure
  readonly fieldKey: string
  readonly onClose: () => void
}

/** Edits the type, options and rules of a field; with rows, its type is converted instead. */
function EditField({ structure: { id }, fieldKey, onClose }: EditFieldProps) {
  // Rows are shown with the types of values, and fields are edited with their own.
  const structure = useStructures().data?.find((known) => known.id === id)
  const stored = structure?.fields.find(({ key }) => key === fieldKey)
  const [draft, setDraft] = useState(stored && draftOfField(stored))
  const isConverting = useSignal(false)
  const isFixed = useHadRows(structure)
  const save = useAction(async () => {
    if (draft) await changeField(id, fieldKey, draft)
  })
  if (!structure || !stored || !draft) return null
  if (isConverting.value)
    return <ConvertDialog structure={structure} field={stored} onDone={() => {}} onClose={onClose} />
  const others = structure.fields.filter(({ key, multiple }) => key !== fieldKey && !multiple)
  const mayConvert = isFixed && !stored.via && !structure.immutable
  return (
    <Modal title={stored.label} onClose={onClose}>
      <form
        onSubmit={async (event) => {
          event.preventDefault()
          if (await save.run()) onClose()
        }}
      >
        <FieldForm
          field={draft}
          isFixed={isFixed}
          others={new Map(others.map(({ key, type }) => [key, type]))}
          structure={structure}
          onChange={(part) => setDraft({ ...draft, ...part })}
          onConvert={mayConvert ? () => (isConverting.value = true) : undefined}
          onMove={undefined}
          onRemove={undefined}
        />
        {save.refusal.value !== undefined && <ErrorText>{save.refusal.value}</ErrorText>}
        <p class="actions">
          <Button kind="main" type="submit" disabled={save.isRunning.value}>
            Save field
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </p>
      </form>
    </Modal>
  )
}

interface NameFieldProps extends FieldDialogProps {
  readonly change: Exclude<FieldChange, { readonly kind: 'edit' }>
}

function NameField({ structure, change, onClose }: NameFieldProps) {
  const isNew = change.kind === 'add'
  const field = isNew ? undefined : structure.fields.find(({ key }) => key === change.key)
  const label = useSignal(field?.label ?? '')
  const type = useSignal('text')
  const options = useSignal('')
  const save = useAction(async () => {
    if (change.kind === 'rename') await renameField(structure.id, change.key, label.value)
    else
      await addField(structure, change.index, {
        label: label.value,
        type: type.value,
        options: options.value,
      })
  })
  return (
    <Modal title={isNew ? 'New field' : `Rename ${field?.label ?? ''}`} onClose={onClose}>
      <form
        onSubmit={async (event) => {
          event.preventDefault()
          if (await save.run()) onClose()
        }}
      >
        <FieldInput
          label="Name"
          name="field-label"
          required
          autofocus
          maxLength={200}
          value={label.value}
          onInput={({ currentTarget }) => (label.value = currentTarget.value)}
        />
        {isNew && (
          <SelectField
            label="Type"
            value={type.value}
            options={TYPES.filter((name) => !isComputedType(name)).map((name) => [
              name,
              TYPE_LABELS[name] ?? name,
            ])}
            onChange={(selected) => (type.value = selected)}
          />
        )}
        {isNew && type.value === 'select' && (
          <label class="field">
            <span>Options, one per line. Empty allows any text.</span>
            <textarea
              class="input"
              rows={4}
              value={options.value}
              onInput={({ currentTarget }) => (options.value = currentTarget.value)}
            />
          </label>
        )}
        {save.refusal.value !== undefined && <ErrorText>{save.refusal.value}</ErrorText>}
        <p class="actions">
          <Button kind="main" type="submit" disabled={save.isRunning.value}>
            {isNew ? 'Add field' : 'Rename'}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </p>
      </form>
    </Modal>
  )
}
