import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import {
  Annotation,
  type ChangeSet,
  Compartment,
  EditorState,
  type Extension,
  Prec,
  Transaction,
} from '@codemirror/state'
import { EditorView, type KeyBinding, keymap } from '@codemirror/view'
import type { Insert } from '../details/upload.ts'
import type { Links } from '../preview/tokens.ts'
import { BAR_COMMANDS, type BarCommand } from './bar-commands.ts'
import { changedText, changesBetween } from './changed-text.ts'
import { completeTags, completeTitles } from './completions.ts'
import { formatKeys, pastedLinks, tickTask } from './format-keys.ts'
import { completeInsertions } from './insert-menu.ts'
import { followLink, linkTargets, livePreview, showLinks } from './live-preview.ts'
import { pastedHtml } from './pasted-html.ts'
import { syntax } from './syntax.ts'
import { theme } from './theme.ts'
import { completedTags } from './typed-tags.ts'

export interface EditorOptions {
  readonly text: string
  /** Called with each change that the person makes. */
  readonly onEdit: () => void
  /** Takes files that were dropped or pasted. */
  readonly onFiles: (files: readonly File[], insert: Insert) => void
  /** Called with the address of a link that is followed; one that leads outside opens in another tab. */
  readonly onFollow: (href: string, isOutside: boolean) => void
  /** Called with the name of a tag once it is written to its end. */
  readonly onTag: (name: string) => void
}

/** Marks what does not come from the person who types here. */
const isFromElsewhere = Annotation.define<boolean>()

const nonce = () => document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.nonce ?? ''

/** Only a text all of whose line breaks are CR LF has them; in any other a CR is a character like another. */
const lineSeparatorOf = (text: string) =>
  text.includes('\r\n') && !/\r(?!\n)|(?<!\r)\n/.test(text) ? '\r\n' : '\n'

const contentAttributes = {
  'aria-label': 'Text of the note',
  autocorrect: 'on',
  autocapitalize: 'sentences',
  spellcheck: 'true',
}

/** Spreadsheets and word processors put a picture of what was copied beside its text. */
const isCopiedText = (transfer: DataTransfer | null) =>
  ['text/plain', 'text/html'].every((type) => transfer?.types.includes(type))

function fileHandlers({ onFiles }: EditorOptions): Extension {
  /** Where files were put; what is written while they are on their way moves these places. */
  const places: { at: number }[] = []
  const take = (view: EditorView, transfer: DataTransfer | null, at: number) => {
    const files = [...(transfer?.files ?? [])]
    if (files.length === 0) return false
    const place = { at }
    places.push(place)
    onFiles(files, (text) => {
      if (!view.dom.isConnected) return false
      const insert = view.state.toText(text.replaceAll('\n', view.state.lineBreak))
      const from = Math.min(place.at, view.state.doc.length)
      const { head, empty } = view.state.selection.main
      const selection = { anchor: from + insert.length }
      view.dispatch({ changes: { from, insert }, ...(empty && head === from && { selection }) })
      return true
    })
    return true
  }
  const movePlaces = EditorView.updateListener.of(({ changes }) => {
    for (const place of places) place.at = changes.mapPos(place.at, 1)
  })
  const handlers = EditorView.domEventHandlers({
    drop: (event, view) => {
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.doc.length
      const isTaken = take(view, event.dataTransfer, at)
      if (isTaken) event.preventDefault()
      return isTaken
    },
    paste: (event, view) =>
      !isCopiedText(event.clipboardData) && take(view, event.clipboardData, view.state.selection.main.head),
  })
  return [movePlaces, handlers]
}

/** What shows the text as it reads; without it the text is shown as it was typed. */
const look = new Compartment()

function showsMarkdown({ onFollow }: EditorOptions) {
  return (view: EditorView): boolean => {
    const isLive = (look.get(view.state) as readonly unknown[]).length > 0
    view.dispatch({ effects: look.reconfigure(isLive ? [] : livePreview(onFollow)) })
    return true
  }
}

const keysOf = (options: EditorOptions): KeyBinding[] => {
  const follow = followLink(options.onFollow)
  return [
    { key: 'Mod-Enter', run: (view) => follow(view) || tickTask(view) },
    { key: 'Mod-e', run: showsMarkdown(options) },
    ...formatKeys,
  ]
}

function stateOf(options: EditorOptions, text: string, onChange: (changes: ChangeSet) => void): EditorState {
  return EditorState.create({
    doc: text,
    extensions: [
      EditorState.lineSeparator.of(lineSeparatorOf(text)),
      EditorView.cspNonce.of(nonce()),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of(contentAttributes),
      EditorView.clipboardInputFilter.of((pasted, state) => pasted.replace(/\r\n?|\n/g, state.lineBreak)),
      history(),
      closeBrackets(),
      highlightSelectionMatches(),
      theme,
      syntax,
      EditorState.languageData.of(() => [{ commentTokens: { block: { open: '<!--', close: '-->' } } }]),
      linkTargets,
      look.of(livePreview(options.onFollow)),
      autocompletion({ override: [completeTitles, completeTags, completeInsertions], icons: false }),
      Prec.high(keymap.of([...completionKeymap, ...keysOf(options)])),
      keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
      fileHandlers(options),
      pastedLinks,
      pastedHtml,
      completedTags(options.onTag),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return
        onChange(update.changes)
        if (!update.transactions.some((one) => one.annotation(isFromElsewhere))) options.onEdit()
      }),
    ],
  })
}

/** An editor of Markdown that keeps every byte of what it was given. */
export function createEditor(parent: HTMLElement, options: EditorOptions) {
  let known = options.text
  let changes: ChangeSet | undefined
  const onChange = (more: ChangeSet) => {
    changes = changes?.compose(more) ?? more
  }
  const view = new EditorView({ parent, state: stateOf(options, known, onChange) })
  const text = () => {
    if (changes) known = view.state.lineBreak === '\n' ? changedText(known, changes) : view.state.sliceDoc()
    changes = undefined
    return known
  }
  return {
    /** Puts the cursor there, and the text before it, as if it had been typed. */
    typeAt: (at: number, typed: string) => {
      const from = Math.min(at, view.state.doc.length)
      const insert = view.state.toText(typed.replaceAll('\n', view.state.lineBreak))
      view.dispatch({
        changes: { from, insert },
        selection: { anchor: from + insert.length },
        userEvent: 'input.type',
      })
      view.focus()
    },
    text,
    /** Tells where the links of the text lead, by their targets in lower case. */
    showLinks: (links: Links) => showLinks(view, links),
    destroy: () => view.destroy(),
    /** Puts the cursor there, at the top of what is in sight. */
    goTo: (at: number) => {
      const anchor = Math.min(at, view.state.doc.length)
      view.dispatch({
        selection: { anchor },
        effects: EditorView.scrollIntoView(anchor, { y: 'start', yMargin: 64 }),
      })
      view.focus()
    },
    /** Does what a button of the bar over the keyboard says. */
    run: (command: BarCommand) => {
      BAR_COMMANDS[command](view)
      view.focus()
    },
    /** Shows a text that comes from elsewhere. */
    show: (next: string) => {
      const present = text()
      if (next === present) return
      if (lineSeparatorOf(next) !== view.state.lineBreak) {
        known = next
        view.setState(stateOf(options, next, onChange))
        return
      }
      // Undo takes back what was typed here, never what somebody else wrote.
      const annotations = [isFromElsewhere.of(true), Transaction.addToHistory.of(false)]
      const plain = (one: string) => one.replaceAll(view.state.lineBreak, '\n')
      const changes = changesBetween(plain(present), plain(next))
      view.dispatch({ changes, annotations })
    },
  }
}
