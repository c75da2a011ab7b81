import { useState } from 'preact/hooks'
import { Choice } from '../../../components/choice.tsx'
import { Button, ErrorText, Field as FieldInput, useAction } from '../../../components/form.tsx'
import { Modal } from '../../../components/modal.tsx'
import { api } from '../../../data/api.ts'
import { invalidate } from '../../../data/cache.ts'
import { navigate } from '../../../router.ts'
import type { Structure } from '../model.ts'
import { groupShown, isGrouping, type RowView, type shownNow, viewAddress } from './model.ts'

interface ViewDialogProps {
  readonly structure: Structure
  /** The view that is edited or copied. */
  readonly view: RowView | undefined
  readonly isNew: boolean
  /** What the rows are shown by now. */
  readonly shown: ReturnType<typeof shownNow>
  readonly onClose: () => void
}

const KINDS = [
  ['table', 'Table'],
  ['board', 'Board: columns of cards'],
  ['calendar', 'Calendar: by month'],
] as const

/** Names a view and says how it shows its rows; a new one is saved with the filters, the order and the columns of now. */
export function ViewDialog({ structure, view, isNew, shown, onClose }: ViewDialogProps) {
  const ofTypes = (...types: string[]) => structure.fields.filter(({ type }) => types.includes(type))
  const groups = structure.fields.filter(isGrouping)
  const days = ofTypes('date', 'datetime')
  const [kind, setKind] = useState<string>(view?.kind ?? 'table')
  const [name, setName] = useState(view ? (isNew ? `${view.name}, copy` : view.name) : '')
  const [group, setGroup] = useState(groupShown(structure, view) ?? view?.group_by ?? '')
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
          body: { structure: structure.id, ...shown, ...body, personal: isPersonal } as never,
        })
      : await api.patch('/v1/records/views/{id}', { params: { id: view?.id ?? '' }, body })
    await invalidate(new Set(['row_view']))
    navigate(viewAddress(structure.id, row_view))
  })
  const noField =
    kind === 'board' && groups.length === 0
      ? 'A board needs a field of a list of choices, or of yes and no; add one to the table.'
      : kind === 'calendar' && days.length === 0
        ? 'A calendar needs a date field; add one to the table.'
        : undefined
  return (
    <Modal title={isNew ? 'New view' : 'Edit the view'} onClose={onClose}>
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
        <Choice label="Shown as" value={kind} options={KINDS} onChoose={setKind} />
        {kind === 'board' && groups.length > 0 && (
          <Choice
            label="A column for each value of"
            value={columns}
            options={groups.map((field) => [field.key, field.label])}
            onChoose={setGroup}
          />
        )}
        {kind === 'table' && groups.length > 0 && (
          <Choice
            label="Groups"
            value={group}
            options={[['', 'none'], ...groups.map((field) => [field.key, field.label] as const)]}
            onChoose={setGroup}
          />
        )}
        {kind === 'calendar' && days.length > 0 && (
          <>
            <Choice
              label="Day of a row"
              value={date}
              options={days.map((field) => [field.key, field.label])}
              onChoose={setDate}
            />
            <Choice
              label="Last day"
              value={end}
              options={[['', 'the same day'], ...ends.map((field) => [field.key, field.label] as const)]}
              onChoose={setEnd}
            />
          </>
        )}
        {isNew && (
          <label class="check">
            <input
              type="checkbox"
              checked={isPersonal}
              onChange={({ currentTarget }) => setPersonal(currentTarget.checked)}
            />{' '}
            Only for me
          </label>
        )}
        {noField !== undefined && <ErrorText>{noField}</ErrorText>}
        {save.refusal.value !== undefined && <ErrorText>{save.refusal.value}</ErrorText>}
        <p class="actions">
          <Button kind="main" type="submit" disabled={save.isRunning.value || noField !== undefined}>
            Save the view
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </p>
      </form>
    </Modal>
  )
}
