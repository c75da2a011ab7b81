/*
 * Where something that changes is kept: a signal holds what others read, be it the whole application (src/web/data), a
 * component that is given the signal, or a handler that reads it again before the next render; `useState` holds what
 * one component alone reads.
 */
import { computed, effect } from '@preact/signals'
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Finder } from './components/finder/finder.tsx'
import { IconShapes } from './components/icon.tsx'
import { KeysDialog } from './components/keys.tsx'
import { lazy, NotLoaded } from './components/lazy.tsx'
import { Lines } from './components/lines.tsx'
import { useScreenTitle } from './components/page-title.ts'
import { Loading } from './components/pane.tsx'
import { Rail, RailMenus } from './components/rail.tsx'
import './data/install.ts'
import { startDocuments } from './data/note-documents.ts'
import { preferences } from './data/preferences.ts'
import { answerFrom, awaySince, isSignedOut } from './data/request.ts'
import { hadCookie, session, startSession } from './data/session.ts'
import { holdVersion } from './data/version.ts'
import { whose } from './data/whose.ts'
import { findScreen, type Screen, titleOf } from './pages/screens.ts'
import { setupToken } from './pages/sign-in/setup-token.ts'
import { path, startRouter } from './router.ts'

const SignIn = lazy(async () => (await import('./pages/sign-in/sign-in.tsx')).SignIn)
const SignInAgain = lazy(async () => (await import('./pages/sign-in/sign-in.tsx')).SignInAgain)

const NOTHING_KEPT =
  'The server cannot be reached, and nothing of it is kept in this browser. This page goes on when it is back; load it again if something before the server asks to sign in.'

function Application() {
  if (session.value === undefined)
    return <Loading what={awaySince.value === undefined ? undefined : NOTHING_KEPT} />
  if (session.value === null || setupToken() !== undefined) return <SignIn />
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <CurrentScreen key={whose.value} />
      <RailMenus />
      <Finder />
      <KeysDialog />
      {isSignedOut.value && <SignInAgain />}
    </>
  )
}

const RailLists = lazy(async () => (await import('./pages/rail-lists.tsx')).RailLists)

/** The screen that the address names; its code is loaded when it is first shown. */
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

// What the screen needs is asked for before what is to be kept.
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

// A file that is dropped where nothing takes it would else replace the page.
for (const kind of ['dragover', 'drop'] as const)
  addEventListener(kind, (event) => {
    const isTaken = event.defaultPrevented || (event.target as Element | null)?.matches?.('input[type=file]')
    if (isTaken || !event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'none'
  })

holdVersion()
answerFrom(async (...read) =>
  (await import('./offline/answers.ts').catch(() => undefined))?.answerFromCopy(...read),
)
startRouter()
startDocuments()
// Read beside the session; a failure is shown where the screen is.
if (hadCookie()) findScreen(path.peek()[0] ?? 'notes').catch(() => undefined)
const root = document.getElementById('app')
if (root) {
  render(
    <>
      <IconShapes />
      <Lines />
      <Application />
    </>,
    root,
  )
}
startSession()
