import { useSignal } from '@preact/signals'
import { confirm } from '../../../components/confirm.tsx'
import { Button, ErrorText, useAction } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { lazy } from '../../../components/lazy.tsx'
import { api } from '../../../data/api.ts'
import { invalidate } from '../../../data/cache.ts'
import { groupingsText } from '../../../data/records/grouping.ts'
import type { Structure } from '../../../data/records/model.ts'
import { useRowRights } from '../../../data/records/row-rights.ts'
import { unreachableSince } from '../../../data/request.ts'
import { isOwner, mayWrite, session } from '../../../data/session.ts'
import { navigate, search, setParameters } from '../../../router.ts'
import { ShareButton } from '../../shares/share-button.tsx'
import { formFieldsOf } from '../../shares/targets.ts'
import type { Columns } from '../grid/columns.ts'
import { ColumnsMenu } from './columns-menu.tsx'
import {
  cacheView,
  currentSettings,
  fieldsInAddress,
  forgetOwnColumns,
  groupingsInAddress,
  isChanged,
  type RowView,
  savedGroup,
  viewAddress,
} from './model.ts'
import { TableIcon } from './table-icon.tsx'

const ShareDialog = lazy(async () => (await import('../../shares/share-dialog.tsx')).ShareDialog)
const ViewDialog = lazy(async () => (await import('./dialog.tsx')).ViewDialog)

/** Attributes of a view to change. */
type ViewChange = Partial<Omit<ReturnType<typeof currentSettings>, 'search'>> & object

interface TabsProps {
  readonly structure: Structure
  /** Undefined until they are loaded, and if they are not available offline. */
  readonly views: readonly RowView[] | undefined
  readonly view: RowView | undefined
  readonly columns: Columns
}

const askToDelete = ({ id, name, structure_id }: RowView): Promise<boolean> =>
  confirm({
    title: `Delete the view “${name}”`,
    consequence:
      'Its columns, filter and sort order are lost, and its share links stop working. The rows stay.',
    action: 'Delete view',
    act: async () => {
      await api.delete('/v1/records/views/{id}', { params: { id } })
      navigate(viewAddress(structure_id, undefined))
      await invalidate(new Set(['row_view']))
    },
  })

/** Tabs for the views of a table, and the menu of the current view. */
export function ViewTabs({ structure, views, view, columns }: TabsProps) {
  const dialog = useSignal<'new' | 'edit' | 'copy' | 'share' | undefined>(undefined)
  const rights = useRowRights(structure.id)
  const change = useAction(async (body: ViewChange) => {
    const params = { id: view?.id ?? '' }
    const { row_view } = await api.patch('/v1/records/views/{id}', { params, body: body as object })
    cacheView(row_view)
    if ('columns' in body) forgetOwnColumns(row_view)
    if (search.peek().get('in') !== null && body.filter)
      setParameters({ filter: JSON.stringify(body.filter), q: undefined, in: undefined }, { replace: true })
    await invalidate(new Set(['row_view']))
  })
  const refusal = change.refusal.value
  const settings = () => currentSettings(structure, columns.widths, fieldsInAddress(structure))
  const saved = () =>
    view?.kind === 'table'
      ? {
          ...settings(),
          group_by: savedGroup(structure, groupingsText(groupingsInAddress(structure, view))) ?? null,
        }
      : settings()
  return (
    <>
      <nav class="row-tabs" aria-label="Views">
        <a href={viewAddress(structure.id, undefined)} aria-current={view ? undefined : 'page'}>
          <TableIcon name="table" />
          All rows
        </a>
        {views?.map((other) => (
          <Tab key={other.id} structure={structure} view={other} isCurrent={other === view} />
        ))}
        {views === undefined && unreachableSince.value !== undefined && (
          <span class="dim">Its views aren’t available offline.</span>
        )}
        {mayWrite.value && (
          <Button kind="quiet" aria-label="New view" onClick={() => (dialog.value = 'new')}>
            <Icon name="plus" />
            View
          </Button>
        )}
        <span class="tabs-end">
          {view && mayWrite.value && !view.locked && isChanged(structure, view) && (
            <Button disabled={change.isRunning.value} onClick={() => void change.run(saved())}>
              Save in “{view.name}”
            </Button>
          )}
          {rights.mayWrite && (
            <span class="desk">
              <ShareButton
                word="Form"
                kind="form"
                targetId={structure.id}
                title={`a form for ${structure.name}`}
                fields={formFieldsOf(structure.fields)}
              />
            </span>
          )}
          <ColumnsMenu structure={structure} />
          {view && mayWrite.value && (
            <Button kind="quiet icon-only" popovertarget="view-menu" aria-label={`Actions for ${view.name}`}>
              <Icon name="more" />
            </Button>
          )}
        </span>
      </nav>
      {refusal !== undefined && <ErrorText>{refusal}</ErrorText>}
      {view && (
        <ViewMenu
          view={view}
          onDialog={(kind) => (dialog.value = kind)}
          onChange={(body) => void change.run(body)}
          onSave={() => void change.run(saved())}
          onDelete={() => void askToDelete(view)}
        />
      )}
      {view && dialog.value === 'share' && (
        <ShareDialog
          kind="row_view"
          targetId={view.id}
          title={`“${view.name}”`}
          onClose={() => (dialog.value = undefined)}
        />
      )}
      {dialog.value && dialog.value !== 'share' && (
        <ViewDialog
          structure={structure}
          view={dialog.value === 'new' ? undefined : view}
          isNew={dialog.value !== 'edit'}
          settings={settings()}
          onClose={() => (dialog.value = undefined)}
        />
      )}
    </>
  )
}

const Tab = ({ structure, view, isCurrent }: { structure: Structure; view: RowView; isCurrent: boolean }) => (
  <a href={viewAddress(structure.id, view)} aria-current={isCurrent ? 'page' : undefined}>
    <TableIcon name={view.kind as 'table'} />
    {view.name}
    {view.personal && (
      <span title="Private">
        <TableIcon name="own" />
        <span class="visually-hidden">, private</span>
      </span>
    )}
    {view.locked && (
      <span title="Locked">
        <TableIcon name="lock" />
        <span class="visually-hidden">, locked</span>
      </span>
    )}
  </a>
)

interface ViewMenuProps {
  readonly view: RowView
  readonly onDialog: (kind: 'edit' | 'copy' | 'share') => void
  readonly onChange: (body: object) => void
  readonly onSave: () => void
  readonly onDelete: () => void
}

function ViewMenu({ view, onDialog, onChange, onSave, onDelete }: ViewMenuProps) {
  const { locked: isLocked, owner, personal: isPersonal, position } = view
  const isCreator = owner?.id === session.value?.user.id
  const mayLock = isCreator || isOwner.value
  const entries: readonly [isShown: boolean, label: string, act: () => void][] = [
    [!isLocked, 'Edit view…', () => onDialog('edit')],
    [!isLocked, 'Save current settings', onSave],
    [true, 'Duplicate view…', () => onDialog('copy')],
    [!isPersonal, 'Share by link…', () => onDialog('share')],
    [!isLocked && position > 0, 'Move left', () => onChange({ position: position - 1 })],
    [!isLocked, 'Move right', () => onChange({ position: position + 1 })],
    [
      !isLocked && isCreator,
      isPersonal ? 'Share with all members' : 'Hide from other members',
      () => onChange({ personal: !isPersonal }),
    ],
    [mayLock, isLocked ? 'Unlock' : 'Lock', () => onChange({ locked: !isLocked })],
    [!isLocked, 'Delete view', onDelete],
  ]
  return (
    <div popover="auto" id="view-menu" class="menu">
      {entries
        .filter(([isShown]) => isShown)
        .map(([, label, act]) => (
          <button
            key={label}
            type="button"
            onClick={() => {
              document.getElementById('view-menu')?.hidePopover()
              act()
            }}
          >
            {label}
          </button>
        ))}
    </div>
  )
}
