import '../../../styles/row-views.ts'
import type { ComponentChildren } from 'preact'
import { STRUCTURE_ICONS, TableIcon, Tile } from '../views/table-icon.tsx'
import type { Draft } from './draft.ts'

/** Colours of table icons. */
const COLOURS = [
  ['#2f7cab', 'sky'],
  ['#b0552f', 'clay'],
  ['#8a7a1f', 'olive'],
  ['#b5476a', 'rose'],
  ['#3f8a4c', 'moss'],
  ['#5f63b8', 'iris'],
  ['#a56a12', 'amber'],
  ['#1f8577', 'jade'],
  ['#92499a', 'plum'],
  ['#7a746c', 'stone'],
] as const

interface AppearanceProps {
  readonly draft: Draft
  readonly onChange: (part: Partial<Draft>) => void
}

/** Selects the icon and colour of a table. */
export function Appearance({ draft, onChange }: AppearanceProps) {
  const { icon, color } = draft
  return (
    <>
      <fieldset class="field">
        <legend>
          Icon <Tile icon={icon || undefined} color={color || undefined} name={draft.name} />
        </legend>
        <div class="segments choices">
          <Choice
            name="icon"
            value=""
            label="No icon"
            selected={icon}
            onSelect={() => onChange({ icon: '' })}
          >
            None
          </Choice>
          {STRUCTURE_ICONS.map((option) => (
            <Choice
              key={option}
              name="icon"
              value={option}
              label={option}
              selected={icon}
              onSelect={() => onChange({ icon: option })}
            >
              <TableIcon name={option} />
            </Choice>
          ))}
        </div>
      </fieldset>
      <fieldset class="field">
        <legend>Colour</legend>
        <div class="segments choices">
          <Choice
            name="color"
            value=""
            label="No colour"
            selected={color}
            onSelect={() => onChange({ color: '' })}
          >
            None
          </Choice>
          {COLOURS.map(([option, name]) => (
            <Choice
              key={option}
              name="color"
              value={option}
              label={name}
              selected={color}
              onSelect={() => onChange({ color: option })}
            >
              <Tile color={option} />
            </Choice>
          ))}
        </div>
      </fieldset>
    </>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly value: string
  readonly label: string
  readonly selected: string
  readonly onSelect: () => void
  readonly children: ComponentChildren
}

const Choice = ({ name, value, label, selected, onSelect, children }: ChoiceProps) => (
  <label title={label}>
    <input
      type="radio"
      name={`structure-${name}`}
      aria-label={label}
      checked={value === selected}
      onChange={onSelect}
    />
    {children}
  </label>
)
