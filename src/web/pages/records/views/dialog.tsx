import { useState } from 'preact/hooks'
import { Check } from '../../../components/check.tsx'
import { Button, ErrorText, Field as FieldInput, useAction } from '../../../components/form.tsx'
import { Modal } from '../../../components/modal.tsx'
import { SelectField } from '../../../components/select.tsx'
import { api } from '../../../data/api.ts'
import { invalidate } from '../../../data/cache.ts'
import type { Structure } from '../../../data/records/model.ts'
import { navigate } from '../../../router.ts'
import { type currentSettings, groupingsInAddress, isGrouping, type RowView, viewAddress } from './model.ts'

interface ViewDialogProps {
  readonly structure: Structure
  /** The view to edit or copy. */
  readonly view: RowView | undefined
  readonly isNew: boolean
  /** The displayed filters, order and columns. */
  readonly settings: ReturnType<typeof currentSettings>
  readonly onClose: () => void
}

const KINDS = [
  ['table', 'Table'],
  ['board', 'Board'],
  ['calendar', 'Calendar'],
] as const

/** Edits the name and layout of a view. A new view is saved with the displayed filters, order and columns. */
export function ViewDialog({ structure, view, isNew, settings, onClose }: ViewDialogProps) {
  const ofTypes = (...types: string[]) => structure.fields.filter(({ type }) => types.includes(type))
  const groups = structure.fields.filter(isGrouping)
  const days = ofTypes('date', 'datetime')
  const [kind, setKind] = useState<string>(view?.kind ?? 'table')
  const [name, setName] = useState(view ? (isNew ? `${view.name} (copy)` : view.name) : '')
  const [group, setGroup] = useState(
    groupingsInAddress(structure, view).find(({ field }) => isGrouping(field))?.field.key ??
      view?.group_by ??
      '',
  )
  const columns = group === '' ? (groups[0]?.key ?? '') : group
  const [date, setDate] = useState(view?.date_field ?? days[0]?.key ?? '')
  const [end, setEnd] = useState(view?.end_field ?? '')
  const [isPersonal, setPersonal] = useState(view?.personal ?? false)
  const dateType = days.find(({ key }) => key === date)?.type
  const ends = days.filter(({ key, type }) => key !== date && type === dateType)
  const save = useAction(async () => {
    const body = {
      name,
      kind: kind as 'table',
      group_by: kind === 'board' ? columns : kind === 'table' && group !== '' ? group : null,
      date_field: kind === 'calendar' ? date : null,
      end_field: kind === 'calendar' && ends.some(({ key }) => key === end) ? end : null,
    }
    const { row_view } = isNew
      ? await api.post('/v1/records/views', {
          body: { structure: structure.id, ...settings, ...body, personal: isPersonal } as never,
        })
      : await api.patch('/v1/records/views/{id}', { params: { id: view?.id ?? '' }, body })
    await invalidate(new Set(['row_view']))
    navigate(viewAddress(structure.id, row_view))
  })
  const noField =
    kind === 'board' && groups.length === 0
      ? 'A board needs a choice field or a yes/no field. Add one first.'
      : kind === 'calendar' && days.length === 0
        ? 'A calendar needs a date field. Add one first.'
        : undefined
  return (
    <Modal title={isNew ? 'New view' : 'Edit view'} onClose={onClose}>
      <form
        onSubmit={async (event) => {
          event.preventDefault()
          if (await save.run()) onClose()
        }}
      >
        <FieldInput
          label="Name"
          name="view-name"
          required
          autofocus
          maxLength={200}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <SelectField label="Layout" value={kind} options={KINDS} onChange={setKind} />
        {kind === 'board' && groups.length > 0 && (
          <SelectField
            label="Columns by"
            value={columns}
            options={groups.map((field) => [field.key, field.label])}
            onChange={setGroup}
          />
        )}
        {kind === 'table' && groups.length > 0 && (
          <SelectField
            label="Group by"
            value={group}
            options={[['', 'None'], ...groups.map((field) => [field.key, field.label] as const)]}
            onChange={setGroup}
          />
        )}
        {kind === 'calendar' && days.length > 0 && (
          <>
            <SelectField
              label="Start date"
              value={date}
              options={days.map((field) => [field.key, field.label])}
              onChange={setDate}
            />
            <SelectField
              label="End date"
              value={end}
              options={[['', 'Same day'], ...ends.map((field) => [field.key, field.label] as const)]}
              onChange={setEnd}
            />
          </>
        )}
        {isNew && (
          <Check
            label="Private (only you can see it)"
            checked={isPersonal}
            onChange={(isOn) => setPersonal(isOn)}
          />
        )}
        {noField !== undefined && <ErrorText>{noField}</ErrorText>}
        {save.refusal.value !== undefined && <ErrorText>{save.refusal.value}</ErrorText>}
        <p class="actions">
          <Button kind="main" type="submit" disabled={save.isRunning.value || noField !== undefined}>
            {isNew ? 'Create view' : 'Save view'}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </p>
      </form>
    </Modal>
  )
}
