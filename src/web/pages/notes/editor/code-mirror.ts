import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import {
  Annotation,
  type ChangeSet,
  Compartment,
  EditorState,
  type Extension,
  Prec,
  StateEffect,
  Transaction,
} from '@codemirror/state'
import { EditorView, type KeyBinding, keymap } from '@codemirror/view'
import type { Insert } from '../details/upload.ts'
import type { Links } from '../preview/tokens.ts'
import { BAR_COMMANDS, type BarCommand, COMPLETED } from './bar-commands.ts'
import { changedText, changesBetween } from './changed-text.ts'
import { formatKeys, pastedLinks, tickTask } from './format-keys.ts'
import {
  followLink,
  linkTargets,
  livePreview,
  previewedTables,
  showLinks,
  takenLinks,
} from './live-preview.ts'
import { loadedTables, loadTables, mayHaveTable } from './load-tables.ts'
import { pastedHtml } from './pasted-html.ts'
import { syntax } from './syntax.ts'
import { theme } from './theme.ts'
import { completedTags } from './typed-tags.ts'

export interface EditorOptions {
  readonly text: string
  /** Called for each edit by the user. */
  readonly onEdit: () => void
  /** Called with dropped or pasted files. */
  readonly onFiles: (files: readonly File[], insert: Insert) => void
  /** Called when the user follows a link, with whether to open its note in the second pane. External links open in a new tab. */
  readonly onFollow: (href: string, isOutside: boolean, isToBeside: boolean) => void
  /** Called when the user has finished typing a tag. */
  readonly onTag: (name: string) => void
}

/** Marks changes not made by the user in this editor. */
const isRemote = Annotation.define<boolean>()

const nonce = () => document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.nonce ?? ''

/** CR LF only if all line breaks are CR LF; otherwise CR is an ordinary character, so that no byte changes. */
const lineSeparatorOf = (text: string) =>
  text.includes('\r\n') && !/\r(?!\n)|(?<!\r)\n/.test(text) ? '\r\n' : '\n'

const contentAttributes = {
  'aria-label': 'Text of the note',
  autocorrect: 'on',
  autocapitalize: 'sentences',
  spellcheck: 'true',
}

/** True for text copied from spreadsheets and word processors, which add a picture of it. */
const isCopiedText = (transfer: DataTransfer | null) =>
  ['text/plain', 'text/html'].every((type) => transfer?.types.includes(type))

function fileHandlers({ onFiles }: EditorOptions): Extension {
  /** Insert positions of uploads in flight, mapped through later edits. */
  const positions: { offset: number }[] = []
  const takeFiles = (view: EditorView, transfer: DataTransfer | null, offset: number) => {
    const files = [...(transfer?.files ?? [])]
    if (files.length === 0) return false
    const position = { offset }
    positions.push(position)
    onFiles(files, (text) => {
      if (!view.dom.isConnected) return false
      const insert = view.state.toText(text.replaceAll('\n', view.state.lineBreak))
      const from = Math.min(position.offset, view.state.doc.length)
      const { head, empty } = view.state.selection.main
      const selection = { anchor: from + insert.length }
      view.dispatch({ changes: { from, insert }, ...(empty && head === from && { selection }) })
      return true
    })
    return true
  }
  const mapPositions = EditorView.updateListener.of(({ changes }) => {
    for (const position of positions) position.offset = changes.mapPos(position.offset, 1)
  })
  const handlers = EditorView.domEventHandlers({
    drop: (event, view) => {
      const offset = view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.doc.length
      const isTaken = takeFiles(view, event.dataTransfer, offset)
      if (isTaken) event.preventDefault()
      return isTaken
    },
    paste: (event, view) =>
      !isCopiedText(event.clipboardData) &&
      takeFiles(view, event.clipboardData, view.state.selection.main.head),
  })
  return [mapPositions, handlers]
}

/** Holds the live preview; empty to show plain Markdown. */
const previewMode = new Compartment()

/** Holds the editing of tables; empty until its code is loaded. */
const tableMode = new Compartment()

const isFilled = (compartment: Compartment, state: EditorState) =>
  (compartment.get(state) as readonly unknown[]).length > 0

const liveText = ({ onFollow }: EditorOptions) =>
  livePreview((href, isOutside) => onFollow(href, isOutside, false))

function togglePreview(options: EditorOptions) {
  return (view: EditorView): boolean => {
    const isLive = isFilled(previewMode, view.state)
    view.dispatch({ effects: previewMode.reconfigure(isLive ? [] : liveText(options)) })
    return true
  }
}

const keysOf = (options: EditorOptions): KeyBinding[] => {
  const follow = followLink((href, isOutside) => options.onFollow(href, isOutside, false))
  const followBeside = followLink((href, isOutside) => options.onFollow(href, isOutside, true))
  return [
    { key: 'Mod-Enter', run: (view) => follow(view) || tickTask(view) },
    { key: 'Mod-Alt-Enter', run: followBeside },
    { key: 'Mod-e', run: togglePreview(options) },
  ]
}

function stateOf(
  options: EditorOptions,
  text: string,
  onChange: (changes: ChangeSet) => void,
  more: readonly Extension[] = [],
): EditorState {
  return EditorState.create({
    doc: text,
    extensions: [
      more,
      EditorState.lineSeparator.of(lineSeparatorOf(text)),
      EditorView.cspNonce.of(nonce()),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of(contentAttributes),
      EditorView.clipboardInputFilter.of((pasted, state) => pasted.replace(/\r\n?|\n/g, state.lineBreak)),
      history(),
      theme,
      syntax,
      EditorState.languageData.of(() => [{ commentTokens: { block: { open: '<!--', close: '-->' } } }]),
      takenLinks,
      linkTargets,
      previewMode.of(liveText(options)),
      fileHandlers(options),
      Prec.high(keymap.of(keysOf(options))),
      tableMode.of(loadedTables()?.tableEditing ?? []),
      Prec.high(keymap.of(formatKeys)),
      keymap.of([...historyKeymap, ...defaultKeymap, indentWithTab]),
      pastedLinks,
      pastedHtml,
      completedTags(options.onTag),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return
        onChange(update.changes)
        if (!update.transactions.some((transaction) => transaction.annotation(isRemote))) options.onEdit()
      }),
    ],
  })
}

export type NoteEditor = ReturnType<typeof createEditor>

/** A Markdown editor that preserves every byte of its text. */
export function createEditor(parent: HTMLElement, options: EditorOptions) {
  let known = options.text
  let changes: ChangeSet | undefined
  const more: Extension[] = []
  let links: Links | undefined
  const onChange = (more: ChangeSet) => {
    changes = changes?.compose(more) ?? more
  }
  const view = new EditorView({ parent, state: stateOf(options, known, onChange) })
  const text = () => {
    if (changes) known = view.state.lineBreak === '\n' ? changedText(known, changes) : view.state.sliceDoc()
    changes = undefined
    return known
  }
  /** Adds an extension that stays when the text is replaced by one with other line breaks. */
  const extend = (extension: Extension) => {
    more.push(extension)
    view.dispatch({ effects: StateEffect.appendConfig.of(extension) })
  }
  /** Adds the editing of tables, and draws the tables of the live preview. */
  const addTables = async () => {
    const tables = await loadTables()
    if (!view.dom.isConnected || isFilled(tableMode, view.state)) return
    view.dispatch({
      effects: [
        tableMode.reconfigure(tables.tableEditing),
        previewedTables.reconfigure(tables.previewedTables),
      ],
    })
  }
  let loading: Promise<() => boolean> | undefined
  /** Loads the typing aids; resolves with a function that opens the completion list. */
  const loadAids = () => {
    loading ??= Promise.all([import('./typing-aids.ts'), addTables()]).then(
      ([{ typingAids, startCompletion }]) => {
        if (view.dom.isConnected) extend(typingAids)
        return () => startCompletion(view)
      },
    )
    return loading
  }
  /** Loads the typing aids as soon as the editor may be used, and completes what was typed meanwhile. */
  const prepareTyping = async () => {
    if (loading) return
    const { doc } = view.state
    const complete = await loadAids()
    if (view.state.doc !== doc) complete()
  }
  // Without the aids, which may not be stored in this browser, the editor still writes.
  for (const intent of ['pointerenter', 'focusin'])
    view.dom.addEventListener(intent, () => void prepareTyping().catch(() => undefined), { once: true })
  return {
    /** Inserts text at an offset as if typed, and moves the cursor behind it. */
    typeAt: (offset: number, typed: string) => {
      const from = Math.min(offset, view.state.doc.length)
      const insert = view.state.toText(typed.replaceAll('\n', view.state.lineBreak))
      view.dispatch({
        changes: { from, insert },
        selection: { anchor: from + insert.length },
        userEvent: 'input.type',
      })
      view.focus()
    },
    view,
    text,
    extend,
    /** Sets the targets of the text's links, keyed by lower-case link text. */
    showLinks: (next: Links) => {
      links = next
      showLinks(view, next)
    },
    destroy: () => view.destroy(),
    /** Moves the cursor to an offset and scrolls it to the top. */
    goTo: (offset: number) => {
      const anchor = Math.min(offset, view.state.doc.length)
      view.dispatch({
        selection: { anchor },
        effects: EditorView.scrollIntoView(anchor, { y: 'start', yMargin: 64 }),
      })
      view.focus()
    },
    /** Runs a command of the toolbar. */
    run: (command: BarCommand) => {
      BAR_COMMANDS[command](view)
      view.focus()
      if (COMPLETED.has(command))
        void loadAids().then(
          (complete) => complete(),
          () => undefined,
        )
    },
    /** Replaces the text with a remote version. */
    show: (next: string) => {
      const current = text()
      if (next === current) return
      if (mayHaveTable(next)) void addTables().catch(() => undefined)
      if (lineSeparatorOf(next) !== view.state.lineBreak) {
        known = next
        view.setState(stateOf(options, next, onChange, more))
        if (links) showLinks(view, links)
        return
      }
      // Undo reverts only edits made here, never those of others.
      const annotations = [isRemote.of(true), Transaction.addToHistory.of(false)]
      const normalized = (value: string) => value.replaceAll(view.state.lineBreak, '\n')
      const changes = changesBetween(normalized(current), normalized(next))
      view.dispatch({ changes, annotations })
    },
  }
}
