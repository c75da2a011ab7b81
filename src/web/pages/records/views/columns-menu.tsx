import { useState } from 'preact/hooks'
import { Button } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import type { Field, Structure } from '../../../data/records/model.ts'
import { fieldsInAddress, showColumns } from './model.ts'

/** Selects and orders the displayed fields. */
export function ColumnsMenu({ structure }: { structure: Structure }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button kind="quiet" popovertarget="columns-menu">
        <Icon name="table" />
        Columns
      </Button>
      <fieldset
        popover="auto"
        id="columns-menu"
        class="menu lists"
        aria-label="Columns"
        onToggle={({ newState }) => setOpen(newState === 'open')}
      >
        {isOpen && <Columns structure={structure} />}
      </fieldset>
    </>
  )
}

function Columns({ structure }: { structure: Structure }) {
  const shown = fieldsInAddress(structure)
  const hidden = structure.fields.filter((field) => !shown.includes(field))
  const show = (fields: readonly Field[]) =>
    showColumns(
      structure,
      fields.map(({ key }) => key),
    )
  const isLast = shown.length === 1
  return (
    <>
      {shown.map((field, index) => (
        <div key={field.key} class="check">
          <label class="grow">
            <input
              type="checkbox"
              checked
              disabled={isLast}
              onChange={() => show(shown.filter((other) => other !== field))}
            />{' '}
            {field.label}
          </label>
          <Button
            kind="quiet icon-only"
            aria-label={`Move ${field.label} up`}
            disabled={index === 0}
            onClick={() => show(shown.with(index, shown[index - 1] as Field).with(index - 1, field))}
          >
            <Icon name="up" />
          </Button>
        </div>
      ))}
      {hidden.map((field) => (
        <label key={field.key} class="check">
          <input type="checkbox" checked={false} onChange={() => show([...shown, field])} /> {field.label}
        </label>
      ))}
    </>
  )
}
