import type { ComponentChildren } from 'preact'
import { addStyles } from '../styles/add-styles.ts'
import styles from '../styles/side-nav.css' with { type: 'text' }

addStyles(styles)

interface SideNavProps {
  readonly label: string
  /** Headings and lists of links. */
  readonly children: ComponentChildren
}

/** The sections of a screen: a column beside its content, or a line above it on narrow screens. */
export const SideNav = ({ label, children }: SideNavProps) => (
  <nav class="side-nav" aria-label={label}>
    {children}
  </nav>
)
