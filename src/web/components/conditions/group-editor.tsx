import type { GroupMatch } from '../../../filter/operators.ts'
import { Button } from '../form.tsx'
import { Icon } from '../icon.tsx'
import { type Option, Select } from '../select.tsx'
import { useId } from '../use-id.ts'
import { ConditionFields, RemoveButton } from './condition-fields.tsx'
import { type Draft, type DraftGroup, type FilterLanguage, isGroup, newDraft } from './language.ts'

/** The maximum number of nested groups. */
const MAX_DEPTH = 4

const MATCHES: readonly Option[] = [
  ['all', 'all conditions'],
  ['any', 'any condition'],
  ['none', 'no condition'],
]

interface GroupProps {
  readonly language: FilterLanguage
  readonly group: DraftGroup
  readonly depth?: number
  readonly onChange: (group: DraftGroup) => void
  readonly onRemove?: () => void
}

/** Edits a filter of conditions and groups of conditions. */
export function GroupEditor({ language, group, depth = 1, onChange, onRemove }: GroupProps) {
  const id = useId()
  const { match, children } = group
  const change = (changed: readonly (Draft | DraftGroup)[]) => onChange({ ...group, children: changed })
  const add = (node: Draft | DraftGroup) => change([...children, node])
  return (
    <fieldset class="tree">
      <legend class="visually-hidden">{depth === 1 ? 'Filter' : 'Group of conditions'}</legend>
      <div class="tree-head">
        <div class="parts">
          <label for={id}>Match</label>
          <Select
            id={id}
            options={MATCHES}
            value={match}
            onChange={(selected) => onChange({ ...group, match: selected as GroupMatch })}
          />
        </div>
        {onRemove && <RemoveButton name="group" onClick={onRemove} />}
      </div>
      <ul>
        {children.map((child, at) => {
          const remove = () => change(children.toSpliced(at, 1))
          const replace = (changed: Draft | DraftGroup) => change(children.with(at, changed))
          const key = `${at} of ${children.length}`
          return (
            <li key={key}>
              {isGroup(child) ? (
                <GroupEditor
                  language={language}
                  group={child}
                  depth={depth + 1}
                  onChange={replace}
                  onRemove={remove}
                />
              ) : (
                <ConditionFields language={language} draft={child} onChange={replace}>
                  <RemoveButton name="condition" onClick={remove} />
                </ConditionFields>
              )}
            </li>
          )
        })}
      </ul>
      <p class="actions">
        <Button kind="quiet" onClick={() => add(newDraft(language))}>
          <Icon name="plus" />
          Condition
        </Button>
        {depth < MAX_DEPTH && (
          <Button kind="quiet" onClick={() => add({ match: 'any', children: [newDraft(language)] })}>
            <Icon name="plus" />
            Group
          </Button>
        )}
      </p>
    </fieldset>
  )
}
