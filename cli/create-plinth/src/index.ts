/**
 * Makes projects for Plinth from templates.
 *
 * @packageDocumentation
 */
export { CreateError } from './create-error.ts';
export { createProject, type ProjectOptions } from './project.ts';
export { isTemplate, type TemplateName, templates } from './templates.ts';
