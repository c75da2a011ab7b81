import { SelectField } from '../../components/select.tsx'
import { formatNumber } from '../../data/formats.ts'
import { type Preferences, prefer, preferences } from '../../data/preferences.ts'
import { formatDay } from '../../data/value-formats.ts'
import { Section } from './section.tsx'

type Option = readonly [value: string, label: string]

const THEMES: readonly Option[] = [
  ['', 'Same as this device'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]
const DATES: readonly Option[] = [
  ['', 'Same as this browser'],
  ['iso', '2026-11-28'],
  ['en-GB', '28 Nov 2026'],
  ['en-US', 'Nov 28, 2026'],
  ['de-DE', '28.11.2026'],
  ['ja-JP', '2026/11/28'],
]
const NUMBERS: readonly Option[] = [
  ['', 'Same as this browser'],
  ['en-US', '1,234.5'],
  ['de-DE', '1.234,5'],
  ['fr-FR', '1 234,5'],
  ['de-CH', '1’234.5'],
  ['en-IN', '12,34,567.8'],
]
const FIRST_DAYS: readonly Option[] = [
  ['1', 'Monday'],
  ['0', 'Sunday'],
  ['6', 'Saturday'],
]

/** Theme and formats, stored per user. */
export function Appearance() {
  const { theme = '', dates = '', numbers = '', week_start = 1 } = preferences.value
  const choose = (name: keyof Preferences) => (value: string) =>
    prefer({ [name]: value === '' ? undefined : value })
  return (
    <Section
      name="appearance"
      title="Appearance"
      about="These apply only to you, in every browser you sign in with. Dates you type or export always look like 2026-11-28."
    >
      <SelectField label="Theme" value={theme} options={THEMES} onChange={choose('theme')} />
      <SelectField label="Dates" value={dates} options={DATES} onChange={choose('dates')} />
      <SelectField label="Numbers" value={numbers} options={NUMBERS} onChange={choose('numbers')} />
      <SelectField
        label="Week starts on"
        value={String(week_start)}
        options={FIRST_DAYS}
        onChange={(value) => prefer({ week_start: Number(value) })}
      />
      <p class="dim" role="status">
        Example: {formatDay(new Date().toISOString().slice(0, 10))} · {formatNumber(1234567.8)}
      </p>
    </Section>
  )
}
