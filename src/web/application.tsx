import { effect } from '@preact/signals'
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Finder } from './components/finder/finder.tsx'
import { IconShapes } from './components/icon.tsx'
import { KeysDialog } from './components/keys.tsx'
import { lazy, NotLoaded } from './components/lazy.tsx'
import { Loading } from './components/pane.tsx'
import { Rail, RailMenus } from './components/rail.tsx'
import { startDocuments } from './data/note-documents.ts'
import { isSignedOut } from './data/request.ts'
import { hadCookie, loadSession, mirrorOf, session } from './data/session.ts'
import { findScreen, type Screen } from './pages/screens.ts'
import { setupToken } from './pages/sign-in/setup-token.ts'
import { path, startRouter } from './router.ts'

const RETRY_MS = 2_000

const SignIn = lazy(async () => (await import('./pages/sign-in/sign-in.tsx')).SignIn)
const SignInAgain = lazy(async () => (await import('./pages/sign-in/sign-in.tsx')).SignInAgain)

function Application() {
  if (session.value === undefined) return <Loading />
  if (session.value === null || setupToken() !== undefined) return <SignIn />
  const { user, workspace } = session.value
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <CopyLine />
      <CurrentScreen key={`${user.id} ${workspace.id}`} />
      <RailMenus />
      <Finder />
      <KeysDialog />
      {isSignedOut.value && <SignInAgain />}
    </>
  )
}

/** Says in a copy that it is one, and where things are changed. */
const CopyLine = () =>
  mirrorOf.value === undefined ? null : (
    <p class="copy-line" role="status">
      Read-only copy of <a href={`${mirrorOf.value}/app`}>{new URL(mirrorOf.value).host}</a>; change it there.
    </p>
  )

/** The screen that the address names; its code is loaded when it is first shown. */
function CurrentScreen() {
  const name = path.value[0] ?? 'notes'
  const [loaded, setLoaded] = useState<{ name: string; screen: Screen }>()
  const [isFailed, setFailed] = useState(false)
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
      <Rail>{screen?.Side && <screen.Side />}</Rail>
      {isFailed ? <NotLoaded /> : screen ? <screen.Main /> : <Loading />}
    </>
  )
}

/** Until the server can be reached, it is asked again and again. */
async function start(): Promise<void> {
  try {
    await loadSession()
  } catch {
    setTimeout(() => void start(), RETRY_MS)
  }
}

effect(() => {
  document.body.classList.toggle('signed-out', session.value === null)
  document.body.classList.toggle('is-copy', mirrorOf.value !== undefined)
})

startRouter()
startDocuments()
// Read beside the session; a failure is shown where the screen is.
if (hadCookie()) findScreen(path.peek()[0] ?? 'notes').catch(() => undefined)
const root = document.getElementById('app')
if (root) {
  render(
    <>
      <IconShapes />
      <Application />
    </>,
    root,
  )
}
void start()
