{{/*
What each process is: its program if the name differs, who calls it, and what it reaches. All but the gateway reach the
database; all but the gateway and the driver sources the queue; those with `objects` the object store.
*/}}
{{- define "despatch.processes" -}}
administration: { callers: [ops-console], proxies: 1, objects: true }
callbacks: { internet: true }
cpc-source: { program: driver-sources, callers: [full-driver-enquiry], noQueue: true, env: { DESPATCH_DRIVER_SOURCE: cpc } }
driver-find: { callers: [gateway] }
fulfilment: { callers: [gateway], objects: true }
full-driver-enquiry: { callers: [gateway], urls: { DESPATCH_CPC_URL: cpc-source, DESPATCH_TACHOGRAPH_URL: tachograph-source } }
gateway: { isOpen: true, noStores: true, noQueue: true }
ops-console: { urls: { DESPATCH_ADMINISTRATION_URL: administration } }
pipeline: { objects: true }
print-request: { callers: [gateway], objects: true }
tachograph-source: { program: driver-sources, callers: [full-driver-enquiry], noQueue: true, env: { DESPATCH_DRIVER_SOURCE: tachograph } }
thirdparty-access: { callers: [gateway] }
{{- if eq .Values.environment "uat" }}
uat: { callers: [gateway] }
{{- end }}
vehicle-enquiry: { callers: [gateway] }
{{- end }}

{{/* The services behind the gateway by their path. */}}
{{- define "despatch.routes" -}}
/print-request=print-request /print-fulfilment=fulfilment /thirdparty-access=thirdparty-access
/vehicle-enquiry=vehicle-enquiry /full-driver-enquiry=full-driver-enquiry /driver-find=driver-find
{{- if eq .Values.environment "uat" }} /uat=uat{{ end }}
{{- end }}

{{- define "despatch.name" -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "despatch.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* Labels of all objects; with a process, those of the process. Call with a list: root, process. */}}
{{- define "despatch.labels" -}}
{{- $root := index . 0 -}}
{{ include "despatch.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ $root.Chart.Name }}-{{ $root.Chart.Version }}
{{- end }}

{{- define "despatch.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: despatch
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "despatch.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "despatch.containerSecurity" -}}
readOnlyRootFilesystem: true
allowPrivilegeEscalation: false
capabilities: { drop: [ALL] }
{{- end }}

{{/* The settings of every process, as a list of env. */}}
{{- define "despatch.settings" -}}
- { name: DESPATCH_ENVIRONMENT, value: {{ .Values.environment | quote }} }
{{- range $name, $value := .Values.settings }}
{{- if ne (toString $value) "" }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}
{{- end }}

{{- define "despatch.dns" -}}
- to: [{ namespaceSelector: {} }]
  ports: [{ port: 53, protocol: UDP }, { port: 53, protocol: TCP }]
{{- end }}

{{/* A rule of egress to a store. Call with a list: root, name of the store. Nothing without addresses. */}}
{{- define "despatch.store" -}}
{{- with index (index . 0).Values.networkPolicy.stores (index . 1) }}
{{- if .cidrs }}
- to:
    {{- range .cidrs }}
    - ipBlock: { cidr: {{ . | quote }} }
    {{- end }}
  ports:
    {{- range .ports }}
    - { port: {{ . }}, protocol: TCP }
    {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/*
The service account of a program: its own if one is given, or none, which is the namespace's default without a role. Call
with a list: root, program.
*/}}
{{- define "despatch.serviceAccountName" -}}
{{- $root := index . 0 -}}
{{- if hasKey $root.Values.serviceAccounts (index . 1) }}
serviceAccountName: {{ include "despatch.name" $root }}-{{ index . 1 }}
{{- end }}
{{- end }}
