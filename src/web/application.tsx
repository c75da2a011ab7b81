/*
 * State that several readers share lives in a signal: the whole application (src/web/data), a component that receives
 * the signal, or a handler that reads it before the next render. State that one component reads lives in `useState`.
 */
import { computed, effect } from '@preact/signals'
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Finder } from './components/finder/finder.tsx'
import { IconShapes } from './components/icon.tsx'
import { KeysDialog } from './components/keys.tsx'
import { lazy, NotLoaded } from './components/lazy.tsx'
import { useScreenTitle } from './components/page-title.ts'
import { Loading } from './components/pane.tsx'
import { Rail, RailMenus } from './components/rail.tsx'
import { StatusLines } from './components/status-lines.tsx'
import './data/install.ts'
import { preferences } from './data/preferences.ts'
import { answerFrom, isSignedOut, unreachableSince } from './data/request.ts'
import { hadCookie, offlineCopy, session, startSession } from './data/session.ts'
import { sessionKey } from './data/session-key.ts'
import { holdVersion } from './data/version.ts'
import { startDocuments } from './offline/note-documents.ts'
import { findScreen, type Screen, titleOf } from './pages/screens.ts'
import { setupToken } from './pages/sign-in/setup-token.ts'
import { path, startRouter } from './router.ts'

const SignIn = lazy(async () => (await import('./pages/sign-in/sign-in.tsx')).SignIn)
const SignInAgain = lazy(async () => (await import('./pages/sign-in/sign-in.tsx')).SignInAgain)

const NO_OFFLINE_COPY =
  'The server cannot be reached, and this browser has no offline copy. Reload to try again or sign in at a proxy.'

function Application() {
  if (session.value === undefined)
    return <Loading label={unreachableSince.value === undefined ? undefined : NO_OFFLINE_COPY} />
  if (session.value === null || setupToken() !== undefined) return <SignIn />
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <CurrentScreen key={sessionKey.value} />
      <RailMenus />
      <Finder />
      <KeysDialog />
      {isSignedOut.value && <SignInAgain />}
    </>
  )
}

const RailLists = lazy(async () => (await import('./pages/rail-lists.tsx')).RailLists)

/** The screen named by the address. Its code is loaded when it is first shown. */
function CurrentScreen() {
  const name = path.value[0] ?? 'notes'
  const [loaded, setLoaded] = useState<{ name: string; screen: Screen }>()
  const [isFailed, setFailed] = useState(false)
  useScreenTitle(titleOf(name))
  useEffect(() => {
    let isCurrent = true
    findScreen(name).then(
      (screen) => isCurrent && setLoaded({ name, screen }),
      () => isCurrent && setFailed(true),
    )
    return () => {
      isCurrent = false
      setFailed(false)
    }
  }, [name])
  const screen = loaded?.name === name ? loaded.screen : undefined
  return (
    <>
      <Rail>
        <RailLists />
      </Rail>
      {isFailed ? <NotLoaded /> : screen ? <screen.Main /> : <Loading />}
    </>
  )
}

// The screen's own requests go first; the offline copy follows.
const isEntered = computed(() => session.value !== undefined)
effect(() => {
  if (isEntered.value)
    import('./offline/start.ts').then(({ startOffline }) => startOffline()).catch(() => undefined)
})

effect(() => {
  document.documentElement.style.colorScheme = preferences.value.theme ?? ''
})

effect(() => {
  document.body.classList.toggle('signed-out', session.value === null)
})

// Without this, a file dropped outside a drop target would replace the page.
for (const kind of ['dragover', 'drop'] as const)
  addEventListener(kind, (event) => {
    const isHandled =
      event.defaultPrevented || (event.target as Element | null)?.matches?.('input[type=file]')
    if (isHandled || !event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'none'
  })

holdVersion()
const offlineAnswers = () => import('./offline/answers.ts').catch(() => undefined)
answerFrom(async (...read) => (await offlineAnswers())?.answerFromCopy(...read))
offlineCopy.findSession = async () => (await offlineAnswers())?.offlineSession()
startRouter()
startDocuments()
// Loaded in parallel with the session. CurrentScreen shows a failure.
if (hadCookie()) findScreen(path.peek()[0] ?? 'notes').catch(() => undefined)
const root = document.getElementById('app')
if (root) {
  render(
    <>
      <IconShapes />
      <StatusLines />
      <Application />
    </>,
    root,
  )
}
startSession()
