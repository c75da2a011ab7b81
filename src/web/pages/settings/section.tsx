import type { ComponentChildren } from 'preact'

interface SectionProps {
  /** The last segment of its address. */
  readonly name: string
  readonly title: string
  readonly about: string
  readonly children: ComponentChildren
}

/** A section of the settings: its description on the left, its controls on the right. */
export const Section = ({ name, title, about, children }: SectionProps) => (
  <section class="setting" id={name} aria-labelledby={`${name}-h`}>
    <header>
      <h2 id={`${name}-h`} tabIndex={-1}>
        {title}
      </h2>
      <p>{about}</p>
    </header>
    <div>{children}</div>
  </section>
)
