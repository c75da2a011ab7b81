import type { Structure } from '../../../data/records/model.ts'
import { TYPE_LABELS } from './draft.ts'

/** The fields and rules, for users without write access. */
export const ReadOnlyStructure = ({ structure }: { structure: Structure }) => (
  <table class="table">
    <caption class="visually-hidden">Fields of {structure.name}</caption>
    <thead>
      <tr>
        <th scope="col">Field</th>
        <th scope="col">Type</th>
        <th scope="col">Rules</th>
      </tr>
    </thead>
    <tbody>
      {structure.fields.map(({ key, label, type, required, unique, unit }) => (
        <tr key={key}>
          <th scope="row">{label}</th>
          <td>{TYPE_LABELS[type]}</td>
          <td>{[required && 'required', unique && 'unique', unit].filter(Boolean).join(', ')}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
