import { addStyles } from './add-styles.ts'
import styles from './markdown.css' with { type: 'text' }

addStyles(styles)
