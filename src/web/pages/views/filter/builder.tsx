import { useId } from 'preact/hooks'
import { OPERATOR_WORDS } from '../../../../lib/filter-sentence.ts'
import { Button } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import {
  type Condition,
  conditionOn,
  type Definitions,
  type Group,
  kindOf,
  MAX_DEPTH,
  type Operator,
  operatorsOf,
  subjectOf,
  type Tree,
  withOperator,
} from './tree.ts'
import { ValueField } from './value.tsx'

interface GroupProps {
  readonly group: Group
  readonly definitions: Definitions
  readonly depth?: number
  readonly onChange: (group: Group) => void
  readonly onRemove?: () => void
}

/** Edits a filter of conditions and groups of conditions. */
export function GroupEditor({ group, definitions, depth = 1, onChange, onRemove }: GroupProps) {
  const id = useId()
  const { match, children } = group
  const change = (changed: readonly Tree[]) => onChange({ ...group, children: [...changed] })
  return (
    <fieldset class="tree">
      <legend class="visually-hidden">{depth === 1 ? 'Filter' : 'Group of conditions'}</legend>
      <div class="tree-head">
        <div class="parts">
          <label for={id}>Match</label>
          <select
            class="input"
            id={id}
            value={match}
            onChange={({ currentTarget }) =>
              onChange({ ...group, match: currentTarget.value as Group['match'] })
            }
          >
            <option value="all">all conditions</option>
            <option value="any">any condition</option>
            <option value="none">no condition</option>
          </select>
        </div>
        {onRemove && (
          <button type="button" class="button quiet icon-only" aria-label="Remove group" onClick={onRemove}>
            <Icon name="x" />
          </button>
        )}
      </div>
      <ul>
        {children.map((child, at) => {
          const props = {
            definitions,
            onChange: (changed: Tree) => change(children.with(at, changed)),
            onRemove: () => change(children.toSpliced(at, 1)),
          }
          const key = `${at} of ${children.length}`
          return (
            <li key={key}>
              {child.type === 'group' ? (
                <GroupEditor {...props} group={child} depth={depth + 1} />
              ) : (
                <ConditionEditor {...props} condition={child} />
              )}
            </li>
          )
        })}
      </ul>
      <p class="actions">
        <Button kind="quiet" onClick={() => change([...children, conditionOn('title', definitions)])}>
          <Icon name="plus" />
          Condition
        </Button>
        {depth < MAX_DEPTH && (
          <Button
            kind="quiet"
            onClick={() =>
              change([
                ...children,
                { type: 'group', match: 'any', children: [conditionOn('title', definitions)] },
              ])
            }
          >
            <Icon name="plus" />
            Group
          </Button>
        )}
      </p>
    </fieldset>
  )
}

interface ConditionProps {
  readonly condition: Condition
  readonly definitions: Definitions
  readonly onChange: (condition: Condition) => void
  readonly onRemove: () => void
}

function ConditionEditor({ condition, definitions, onChange, onRemove }: ConditionProps) {
  const { tags, properties } = definitions
  return (
    <div class="condition">
      <div class="parts">
        <select
          class="input"
          aria-label="Field"
          value={subjectOf(condition)}
          onChange={({ currentTarget }) => onChange(conditionOn(currentTarget.value, definitions))}
        >
          <option value="title">Title</option>
          <option value="created_at">Created</option>
          <option value="updated_at">Last edited</option>
          {tags.length > 0 && <option value="tags">Tags</option>}
          {properties.map(({ id, label }) => (
            <option key={id} value={`property ${id}`}>
              {label}
            </option>
          ))}
        </select>
        {condition.type === 'tags' ? (
          <TagsFields condition={condition} definitions={definitions} onChange={onChange} />
        ) : (
          <ValueFields condition={condition} definitions={definitions} onChange={onChange} />
        )}
      </div>
      <button type="button" class="button quiet icon-only" aria-label="Remove condition" onClick={onRemove}>
        <Icon name="x" />
      </button>
    </div>
  )
}

interface FieldsProps<Kind extends Condition> {
  readonly condition: Kind
  readonly definitions: Definitions
  readonly onChange: (condition: Condition) => void
}

type TagsCondition = Extract<Condition, { type: 'tags' }>

function TagsFields({ condition, definitions: { tags }, onChange }: FieldsProps<TagsCondition>) {
  const { op, tag_ids } = condition
  const unusedTags = tags.filter(({ id }) => !tag_ids.includes(id))
  return (
    <>
      <select
        class="input"
        aria-label="Operator"
        value={op}
        onChange={({ currentTarget }) =>
          onChange({ ...condition, op: currentTarget.value as TagsCondition['op'] })
        }
      >
        <option value="has_any">any of</option>
        <option value="has_all">all of</option>
        <option value="has_none">none of</option>
      </select>
      {tag_ids.map((id) => {
        const name = tags.find((tag) => tag.id === id)?.name ?? String(id)
        return (
          <span class="chip" key={id}>
            <span class="tag">{name}</span>
            <button
              type="button"
              aria-label={`Remove ${name}`}
              disabled={tag_ids.length === 1}
              onClick={() => onChange({ ...condition, tag_ids: tag_ids.filter((one) => one !== id) })}
            >
              <Icon name="x" />
            </button>
          </span>
        )
      })}
      {unusedTags.length > 0 && (
        <select
          class="input"
          aria-label="Add a tag"
          value=""
          onChange={({ currentTarget }) =>
            onChange({ ...condition, tag_ids: [...tag_ids, Number(currentTarget.value)] })
          }
        >
          <option value="">and…</option>
          {unusedTags.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </>
  )
}

function ValueFields({ condition, definitions, onChange }: FieldsProps<Exclude<Condition, TagsCondition>>) {
  const kind = kindOf(condition, definitions)
  const options =
    (condition.type === 'property' &&
      definitions.properties.find(({ id }) => id === condition.def_id)?.options) ||
    []
  return (
    <>
      <select
        class="input"
        aria-label="Operator"
        value={condition.op}
        onChange={({ currentTarget }) =>
          onChange(withOperator(condition, currentTarget.value as Operator, kind, options))
        }
      >
        {operatorsOf(kind).map((op) => (
          <option key={op} value={op}>
            {OPERATOR_WORDS[op]}
          </option>
        ))}
      </select>
      <ValueField
        kind={kind}
        op={condition.op}
        options={options}
        value={condition.value}
        onChange={(value) => onChange({ ...condition, value })}
      />
    </>
  )
}
