/**
 * The text of a new config in YAML. `schema` is the path of its JSON Schema; undefined when the schema is not
 * installed beside the config.
 */
export function yamlConfig(schema: string | undefined): string {
	const editor =
		schema === undefined
			? `# For completion in editors: plinth schema > plinth.schema.json
# yaml-language-server: $schema=./plinth.schema.json`
			: `# yaml-language-server: $schema=${schema}`;
	return `${editor}

# Check this file: plinth check. Serve it: plinth serve.
# Every text may hold \${NAME} or \${NAME:-default}: the value of an environment variable.

# The composition that runs offline. The keys below replace its parts; false removes a part.
extends: plinth:embedded

server:
  # Only this machine can connect to 127.0.0.1. Containers need 0.0.0.0.
  host: \${HOST:-127.0.0.1}
  port: \${PORT:-8080}
  # The address that clients use. Links in responses start with it.
  publicUrl: \${PLINTH_PUBLIC_URL:-}

log:
  # debug, info, warn, error or silent.
  level: \${PLINTH_LOG_LEVEL:-info}

jobs:
  # Videos that this process makes at the same time.
  concurrency: 2

backends:
  # API keys as tenant:key, separated by commas. Without one, the first start makes a key and shows it.
  auth: { use: '@plinth/keys#apiKeys', with: { keys: '\${PLINTH_API_KEYS:-}' } }

# Models of your own, under the ids that clients use.
# models:
#   # An OpenAI-compatible server. First: npm install @plinth/openai
#   my-image: { use: '@plinth/openai#openai.image', with: { baseURL: http://127.0.0.1:8000/v1 } }
#   # A model in a file beside this one.
#   my-model: { use: ./my-model.ts }

plugins:
  # Finished videos are stored for 24 hours.
  video: { use: '@plinth/plugin-video', with: { retentionHours: 24 } }
  # false removes a plugin and its routes.
  # speech: false
`;
}

/** The text of a new config in TypeScript. It imports only types, so it loads where no package is installed. */
export function typescriptConfig(): string {
	return `import type { AppConfig } from '@plinth/core';

// Check this file: plinth check. Serve it: plinth serve.
// Every text may hold \${NAME} or \${NAME:-default}: the value of an environment variable.
export default {
	// The composition that runs offline. The keys below replace its parts; false removes a part.
	extends: 'plinth:embedded',

	server: {
		// Only this machine can connect to 127.0.0.1. Containers need 0.0.0.0.
		host: '\${HOST:-127.0.0.1}',
		port: '\${PORT:-8080}',
		// The address that clients use. Links in responses start with it.
		publicUrl: '\${PLINTH_PUBLIC_URL:-}',
	},

	log: {
		// debug, info, warn, error or silent.
		level: '\${PLINTH_LOG_LEVEL:-info}',
	},

	jobs: {
		// Videos that this process makes at the same time.
		concurrency: 2,
	},

	backends: {
		// API keys as tenant:key, separated by commas. Without one, the first start makes a key and shows it.
		auth: { use: '@plinth/keys#apiKeys', with: { keys: '\${PLINTH_API_KEYS:-}' } },
	},

	// Models of your own, under the ids that clients use.
	models: {
		// An OpenAI-compatible server. First: npm install @plinth/openai
		// 'my-image': { use: '@plinth/openai#openai.image', with: { baseURL: 'http://127.0.0.1:8000/v1' } },
		// A model in a file beside this one.
		// 'my-model': { use: './my-model.ts' },
	},

	plugins: {
		// Finished videos are stored for 24 hours. A factory call is checked by TypeScript:
		// import { video } from '@plinth/plugin-video', and then video: video({ retentionHours: 24 }).
		video: { use: '@plinth/plugin-video', with: { retentionHours: 24 } },
		// false removes a plugin and its routes.
		// speech: false,
	},
} satisfies AppConfig;
`;
}
