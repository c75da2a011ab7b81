import { addStyles } from './add-styles.ts'
import styles from './row-views.css' with { type: 'text' }

addStyles(styles)
