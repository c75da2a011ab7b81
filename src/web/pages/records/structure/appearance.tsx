import '../../../styles/row-views.ts'
import type { ComponentChildren } from 'preact'
import { Drawn, STRUCTURE_ICONS, Tile } from '../views/drawn.tsx'
import type { Draft } from './draft.ts'

/** The hues, as the icon of a structure is drawn in them. */
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

/** The icon and the colour by which a structure is recognised. */
export function Appearance({ draft, onChange }: AppearanceProps) {
  const { icon, color } = draft
  return (
    <>
      <fieldset class="field">
        <legend>
          Icon <Tile icon={icon || undefined} color={color || undefined} name={draft.name} />
        </legend>
        <div class="segments choices">
          <Choice name="icon" value="" label="No icon" chosen={icon} onChoose={() => onChange({ icon: '' })}>
            none
          </Choice>
          {STRUCTURE_ICONS.map((one) => (
            <Choice
              key={one}
              name="icon"
              value={one}
              label={one}
              chosen={icon}
              onChoose={() => onChange({ icon: one })}
            >
              <Drawn name={one} />
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
            chosen={color}
            onChoose={() => onChange({ color: '' })}
          >
            none
          </Choice>
          {COLOURS.map(([one, word]) => (
            <Choice
              key={one}
              name="color"
              value={one}
              label={word}
              chosen={color}
              onChoose={() => onChange({ color: one })}
            >
              <Tile color={one} />
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
  readonly chosen: string
  readonly onChoose: () => void
  readonly children: ComponentChildren
}

const Choice = ({ name, value, label, chosen, onChoose, children }: ChoiceProps) => (
  <label title={label}>
    <input
      type="radio"
      name={`structure-${name}`}
      aria-label={label}
      checked={value === chosen}
      onChange={onChoose}
    />
    {children}
  </label>
)
