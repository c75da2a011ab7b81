import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from './form.tsx'
import { Banner, Loading } from './pane.tsx'

/** Shown if code could not be loaded: the server is unreachable or serves a newer version. */
export const NotLoaded = () => (
  <Banner kind="bad">
    <p>This page could not be loaded.</p>
    <Button onClick={() => location.reload()}>Reload page</Button>
  </Banner>
)

/** A component whose code is loaded when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let known: ComponentType<Props> | undefined
  return (props: Props) => {
    const [Loaded, setLoaded] = useState(() => known)
    const [isFailed, setFailed] = useState(false)
    useEffect(() => {
      // Another instance may have loaded it since the first render.
      let isCurrent = true
      load().then(
        (loaded) => {
          known = loaded
          if (isCurrent) setLoaded(() => loaded)
        },
        () => isCurrent && setFailed(true),
      )
      return () => {
        isCurrent = false
      }
    }, [])
    if (isFailed) return <NotLoaded />
    return Loaded ? <Loaded {...props} /> : <Loading />
  }
}
