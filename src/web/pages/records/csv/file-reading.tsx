import { ENCODINGS } from '../../../../lib/decoders.ts'
import type { FileReading } from './lines.ts'

interface FileReadingProps {
  readonly reading: FileReading
  /** The encoding in which the file was read. */
  readonly encoding: string | undefined
  readonly onChange: (reading: FileReading) => void
}

/** How a file is read: its encoding, and the lines above its headings. */
export const FileReadingFields = ({ reading, encoding, onChange }: FileReadingProps) => (
  <div class="actions">
    <label class="field">
      <span>Encoding</span>
      <select
        class="input"
        value={reading.encoding ?? encoding}
        onChange={({ currentTarget }) => onChange({ ...reading, encoding: currentTarget.value })}
      >
        {ENCODINGS.map((name) => (
          <option key={name} value={name}>
            {name}
            {reading.encoding === undefined && name === encoding && name !== 'utf-8' && ' (detected)'}
          </option>
        ))}
      </select>
    </label>
    <label class="field">
      <span>Lines above the headings</span>
      <input
        class="input"
        type="number"
        min={0}
        max={1000}
        value={reading.skipLines ?? 0}
        onChange={({ currentTarget }) =>
          onChange({ ...reading, skipLines: Math.max(0, Math.trunc(currentTarget.valueAsNumber) || 0) })
        }
      />
    </label>
  </div>
)
