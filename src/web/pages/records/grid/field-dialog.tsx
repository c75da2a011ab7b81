import { useSignal } from '@preact/signals'
import { Button, ErrorText, Field as FieldInput, useAction } from '../../../components/form.tsx'
import { Modal } from '../../../components/modal.tsx'
import type { Structure } from '../../../data/records/model.ts'
import { addField, renameField } from '../structure/change-fields.ts'
import { Choice } from '../structure/choice.tsx'
import { isComputedType, TYPE_LABELS, TYPES } from '../structure/draft.ts'

/** A change at the head of a column. */
export type FieldChange =
  | { readonly kind: 'add'; readonly index: number }
  | { readonly kind: 'rename'; readonly key: string }

interface FieldDialogProps {
  readonly structure: Structure
  readonly change: FieldChange
  readonly onClose: () => void
}

/** Adds a field by its name and type, or renames one. All other settings are under Fields. */
export function FieldDialog({ structure, change, onClose }: FieldDialogProps) {
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
          <Choice
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
